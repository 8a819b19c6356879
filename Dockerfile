# Beacon in one image: the dashboard and the worker are the same program with different commands.
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/beacon && pip install --no-cache-dir uv==0.13.9
ENV VIRTUAL_ENV=/opt/beacon UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
COPY requirements.lock ./
RUN uv pip sync --no-cache --require-hashes requirements.lock
COPY . .
RUN uv pip install --no-cache --no-deps .

FROM python:3.12-slim
RUN useradd --uid 10001 --create-home beacon && install -d -o beacon -g beacon /data
COPY --from=build /opt/beacon /opt/beacon
ENV PATH=/opt/beacon/bin:$PATH BEACON_HOME=/data PYTHONUNBUFFERED=1
USER beacon
WORKDIR /data
VOLUME /data
EXPOSE 8501
ENTRYPOINT ["beacon"]
