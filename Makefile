# make run    the dashboard, on a machine with Python 3.11 or later and nothing else
# make test   everything the tests need, where it may be installed, and the tests
# make lint   style, types and import contracts

UV_VERSION := 0.13.9
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
BIN := .venv/bin
STAMP := .venv/.installed
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run install test lint format bench bench-full lock servers clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: install ## open the dashboard
	$(BIN)/beacon up

install: $(STAMP) ## the locked dependencies and Beacon itself, in .venv

$(BIN)/python:
	@[ -n "$(PYTHON)" ] || { echo "Beacon needs Python 3.11 or later, and none was found: install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11, which Beacon needs: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -m venv .venv || { rm -rf .venv; echo "$(PYTHON) could not make .venv: install its venv module (Debian: apt install python3-venv)" >&2; exit 1; }

# uv is many times faster; where it cannot be had, pip installs the same hashed lock.
$(STAMP): requirements.lock pyproject.toml | $(BIN)/python
	@if $(BIN)/python -m pip install -q "uv==$(UV_VERSION)"; then \
		VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/uv pip sync --require-hashes requirements.lock && \
		VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/uv pip install --no-deps -e .; \
	else \
		$(BIN)/python -m pip install -q --require-hashes -r requirements.lock && \
		$(BIN)/python -m pip install -q --no-deps -e .; \
	fi
	@touch $@

test: install servers ## every test, with what it needs
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: install ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict beacon
	$(BIN)/lint-imports

format: install ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install ## the quick benchmarks
	$(BIN)/python -m bench

bench-full: install ## the benchmarks on everything
	$(BIN)/python -m bench --full

lock: install ## requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --universal --python-version 3.11 --all-extras --no-header --no-annotate --generate-hashes \
		--no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock

servers: ## Chromium, PostgreSQL and Neo4j for the tests
	tests/servers/install

clean: ## remove what was installed and built here; data folders stay
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
