"""Fetching, against a server on loopback."""

import gzip
import http.server
import threading
import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

import httpcore
import pytest

from beacon.domain.clock import fixed_clock
from beacon.errors import InputError, NotFoundError, RefusedError, UnavailableError
from beacon.web.fetch import Fetched, Fetcher, FetchLimits, Wanted

AT = datetime(2026, 1, 2, tzinfo=UTC)
QUICK = FetchLimits(max_bytes=50_000, total_s=1.0, connect_s=0.5)
PUBLIC = "93.184.216.34"
BOMB = gzip.compress(b"\0" * 5_000_000)


class Site(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.seen: list[tuple[str, str]] = []  # path, Host header
        self.now = 0
        self.peak = 0
        self.lock = threading.Lock()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Page(http.server.BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Host", "")))
        name = self.path.strip("/").partition("?")[0].replace("-", "_").replace(".", "_")
        getattr(self, f"page_{name}", self.page_missing)()

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        return None

    def answer(self, body: bytes, media_type: str | None = "text/html; charset=utf-8", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        if media_type is not None:
            self.send_header("Content-Type", media_type)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def page_ok(self) -> None:
        if self.headers.get("If-None-Match") == '"v1"':
            self.answer(b"", status=304, ETag='"v1"')
        else:
            self.answer(b"<html>hello</html>", ETag='"v1"', Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")

    def page_robots_txt(self) -> None:
        self.answer(b"User-agent: *\nDisallow: /forbidden\n", "text/plain")

    def page_to_forbidden(self) -> None:
        self.answer(b"", status=302, Location="/forbidden")

    def page_recovering(self) -> None:
        if len(self.server.seen) == 1:
            self.answer(b"later", status=503, Retry_After="1")
        else:
            self.answer(b"<html>well</html>")

    def page_echo(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])), "application/json")

    def page_slow(self) -> None:
        time.sleep(1.0)

    def page_missing(self) -> None:
        self.answer(b"no", status=404)

    def page_busy(self) -> None:
        self.answer(b"later", status=429, Retry_After="7")

    def page_failing(self) -> None:
        self.answer(b"oops", status=503)

    def page_walled(self) -> None:
        self.answer(b"login", status=403)

    def page_big(self) -> None:
        self.answer(b"x" * 60_000)

    def page_endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        try:
            for _ in range(10_000):
                self.wfile.write(b"y" * 4_096)
        except OSError:
            return

    def page_bomb(self) -> None:
        self.answer(BOMB, Content_Encoding="gzip")

    def page_packed(self) -> None:
        self.answer(gzip.compress(b"<p>packed</p>"), Content_Encoding="gzip")

    def page_deflated(self) -> None:
        self.answer(zlib.compress(b"<p>deflated</p>"), Content_Encoding="deflate")

    def page_cut(self) -> None:
        self.answer(gzip.compress(b"<p>packed</p>" * 99)[:40], Content_Encoding="gzip")

    def page_odd_packing(self) -> None:
        self.answer(b"???", Content_Encoding="br")

    def page_image(self) -> None:
        self.answer(b"\x89PNG", "image/png")

    def page_untold_pdf(self) -> None:
        self.answer(b"%PDF-1.7 ...", "application/octet-stream")

    def page_untold_binary(self) -> None:
        self.answer(b"\x00\x01\x02", None)

    def page_drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        try:
            for _ in range(60):
                self.wfile.write(b".")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            return

    def page_head_drip(self) -> None:
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(60):
                self.wfile.write(f"X-{number}: y\r\n".encode())
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            return

    def page_moved(self) -> None:
        self.answer(b"", status=302, Location="/ok#part")

    def page_to_private(self) -> None:
        self.answer(b"", status=301, Location="http://10.0.0.7/secret")

    def page_to_rebound(self) -> None:
        self.answer(b"", status=307, Location=f"http://inside.test:{self.server.server_port}/ok")

    def page_to_file(self) -> None:
        self.answer(b"", status=302, Location="file:///etc/passwd")

    def page_round(self) -> None:
        self.answer(b"", status=302, Location="/round")

    def page_counted(self) -> None:
        with self.server.lock:
            self.server.now += 1
            self.server.peak = max(self.server.peak, self.server.now)
        time.sleep(0.05)
        with self.server.lock:
            self.server.now -= 1
        self.answer(b"counted")


class Dialer(httpcore.SyncBackend):
    """Notes the address it is given and connects to loopback in its place."""

    def __init__(self) -> None:
        self.dialled: list[str] = []

    def connect_tcp(self, host: str, port: int, *args: object, **kwargs: object) -> httpcore.NetworkStream:
        self.dialled.append(host)
        return super().connect_tcp("127.0.0.1", port, timeout=1.0)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def near() -> Fetcher:
    return Fetcher(QUICK, allow_private=True, clock=fixed_clock(AT))


def get(near: Fetcher, site: Site, page: str) -> Fetched:
    return near.fetch(f"{site.base}/{page}")


def test_page_comes_back_whole(near: Fetcher, site: Site) -> None:
    page = get(near, site, "ok")
    assert (page.data, page.media_type, page.charset, page.status) == (b"<html>hello</html>", "text/html", "utf-8", 200)


def test_page_carries_the_injected_time(near: Fetcher, site: Site) -> None:
    assert get(near, site, "ok").fetched_at == AT


def test_held_copy_is_not_sent_again(near: Fetcher, site: Site) -> None:
    page = near.fetch(f"{site.base}/ok", etag='"v1"')
    assert page.not_modified and page.data == b"" and page.etag == '"v1"'


def test_redirect_is_followed_and_named(near: Fetcher, site: Site) -> None:
    page = get(near, site, "moved")
    assert (page.url, page.final_url) == (f"{site.base}/moved", f"{site.base}/ok")


def test_redirects_end(near: Fetcher, site: Site) -> None:
    with pytest.raises(InputError, match="more than 5"):
        get(near, site, "round")


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("missing", NotFoundError), ("walled", InputError), ("busy", UnavailableError), ("failing", UnavailableError),
        ("big", InputError), ("endless", InputError), ("bomb", InputError), ("cut", UnavailableError), ("odd-packing", InputError),
        ("image", RefusedError), ("untold-binary", RefusedError), ("drip", UnavailableError), ("head-drip", UnavailableError),
        ("to-file", RefusedError),
    ],
)  # fmt: skip
def test_failure_has_its_kind_and_names_the_address(near: Fetcher, site: Site, page: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as raised:
        get(near, site, page)
    assert type(raised.value) is kind and ("127.0.0.1" in str(raised.value) or "file:" in str(raised.value))


def test_busy_server_says_when_to_return(near: Fetcher, site: Site) -> None:
    with pytest.raises(UnavailableError) as raised:
        get(near, site, "busy")
    assert raised.value.facts["retry_after"] == "7"


def test_dripping_server_is_left_on_time(near: Fetcher, site: Site) -> None:
    began = time.monotonic()
    with pytest.raises(UnavailableError):
        get(near, site, "head-drip")
    assert time.monotonic() - began < 2.0


def test_small_bomb_is_not_unpacked_whole(near: Fetcher, site: Site) -> None:
    import tracemalloc

    get(near, site, "ok")
    tracemalloc.start()
    with pytest.raises(InputError, match="larger than"):
        get(near, site, "bomb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize(("page", "body"), [("packed", b"<p>packed</p>"), ("deflated", b"<p>deflated</p>")])
def test_packed_body_is_unpacked(near: Fetcher, site: Site, page: str, body: bytes) -> None:
    assert get(near, site, page).data == body


def test_untold_type_is_read_off_the_bytes(near: Fetcher, site: Site) -> None:
    assert get(near, site, "untold-pdf").media_type == "application/pdf"


def test_loopback_is_refused_by_default(site: Site) -> None:
    with pytest.raises(RefusedError):
        Fetcher(QUICK).fetch(f"{site.base}/ok")


def test_connection_goes_to_the_checked_address(site: Site) -> None:
    dialer = Dialer()
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    fetcher = Fetcher(QUICK, resolver=lambda host, port: next(answers), dialer=dialer)
    fetcher.fetch(f"http://rebinding.test:{site.server_port}/ok")
    assert dialer.dialled == [PUBLIC]


def test_host_header_stays_the_name(site: Site) -> None:
    Fetcher(QUICK, resolver=lambda host, port: [PUBLIC], dialer=Dialer()).fetch(f"http://named.test:{site.server_port}/ok")
    assert site.seen[-1] == ("/ok", f"named.test:{site.server_port}")


def test_name_rebound_to_loopback_is_never_dialled(site: Site) -> None:
    dialer = Dialer()
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    fetcher = Fetcher(QUICK, resolver=lambda host, port: next(answers), dialer=dialer)
    fetcher.fetch(f"http://rebinding.test:{site.server_port}/ok")
    with pytest.raises(RefusedError):
        fetcher.fetch(f"http://rebinding.test:{site.server_port}/ok")
    assert dialer.dialled == [PUBLIC]


def test_certificate_is_asked_for_by_name() -> None:
    asked: list[str | None] = []

    class Stream(httpcore.NetworkStream):
        def start_tls(self, context: object, server_hostname: str | None = None, timeout: float | None = None) -> httpcore.NetworkStream:
            asked.append(server_hostname)
            raise httpcore.ConnectError("enough seen")

        def close(self) -> None:
            return None

    class Tls(httpcore.NetworkBackend):
        def connect_tcp(self, host: str, *args: object, **kwargs: object) -> httpcore.NetworkStream:
            return Stream()

    with pytest.raises(UnavailableError):
        Fetcher(QUICK, resolver=lambda host, port: [PUBLIC], dialer=Tls()).fetch("https://named.test/")
    assert asked == ["named.test"]


@pytest.mark.parametrize("page", ["to-private", "to-rebound"])
def test_redirect_inside_is_refused(site: Site, page: str) -> None:
    dialer = Dialer()
    names = {"outside.test": [PUBLIC], "inside.test": ["192.168.0.9"]}
    fetcher = Fetcher(QUICK, resolver=lambda host, port: names[host], dialer=dialer)
    with pytest.raises(RefusedError):
        fetcher.fetch(f"http://outside.test:{site.server_port}/{page}")
    assert dialer.dialled == [PUBLIC]


def test_next_address_is_tried_when_one_does_not_answer(site: Site) -> None:
    class Choosy(Dialer):
        def connect_tcp(self, host: str, port: int, *args: object, **kwargs: object) -> httpcore.NetworkStream:
            if host == "8.8.8.8":
                raise httpcore.ConnectError("no")
            return super().connect_tcp(host, port)

    dialer = Choosy()
    fetcher = Fetcher(QUICK, resolver=lambda host, port: ["8.8.8.8", PUBLIC], dialer=dialer)
    fetcher.fetch(f"http://two.test:{site.server_port}/ok")
    assert dialer.dialled == [PUBLIC]


def test_slow_name_server_counts_as_no_answer() -> None:
    def slow(host: str, port: int) -> list[str]:
        time.sleep(2)
        return [PUBLIC]

    with pytest.raises(UnavailableError):
        Fetcher(FetchLimits(total_s=0.2, connect_s=0.1), resolver=slow).fetch("http://slow.test/")


def test_environment_proxy_is_ignored(near: Fetcher, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert get(near, site, "ok").status == 200


def test_environment_proxy_is_used_when_trusted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", site.base)
    monkeypatch.setenv("no_proxy", "")
    Fetcher(QUICK, trust_env=True, clock=fixed_clock(AT)).fetch_many(["http://example.org/ok"])
    assert site.seen[-1][1] == "example.org"


def test_closed_port_is_unavailable(near: Fetcher) -> None:
    with pytest.raises(UnavailableError):
        near.fetch("http://127.0.0.1:1/")


def test_many_keep_their_order_and_errors(near: Fetcher, site: Site) -> None:
    results = near.fetch_many([f"{site.base}/ok", f"{site.base}/missing", "nonsense", Wanted(f"{site.base}/ok", etag='"v1"')])
    kinds = [type(result) for result in results]
    assert kinds[0] is Fetched and kinds[1] is NotFoundError and issubclass(kinds[2], InputError) and kinds[3] is Fetched
    assert isinstance(results[3], Fetched) and results[3].not_modified


def test_host_is_asked_at_most_twice_at_a_time(near: Fetcher, site: Site) -> None:
    results = near.fetch_many([f"{site.base}/counted?{n}" for n in range(8)])
    assert all(isinstance(result, Fetched) for result in results) and site.peak == 2


def polite(site: Site, **limits: float) -> Fetcher:
    site.seen.clear()
    return Fetcher(FetchLimits(max_bytes=50_000, total_s=2.0, connect_s=0.5, **limits), True, clock=fixed_clock(AT))  # type: ignore[arg-type]


def test_a_busy_host_is_left_alone_as_long_as_it_asks_and_asked_again(site: Site) -> None:
    begun = time.monotonic()
    assert polite(site, attempts=2).fetch(f"{site.base}/recovering").data == b"<html>well</html>"
    assert time.monotonic() - begun >= 1.0 and len(site.seen) == 2


def test_a_host_that_asks_for_too_long_a_wait_is_not_waited_for(site: Site) -> None:
    with pytest.raises(UnavailableError):
        polite(site, attempts=3, longest_wait_s=5.0).fetch(f"{site.base}/busy")
    assert len(site.seen) == 1


def test_robots_txt_is_asked_once_and_obeyed_behind_redirects_too(site: Site) -> None:
    fetcher = polite(site, robots=True)
    with pytest.raises(RefusedError, match=r"robots\.txt"):
        fetcher.fetch(f"{site.base}/forbidden")
    with pytest.raises(RefusedError, match=r"robots\.txt"):
        fetcher.fetch(f"{site.base}/to-forbidden")
    fetcher.fetch(f"{site.base}/ok")
    assert [path for path, _ in site.seen] == ["/robots.txt", "/to-forbidden", "/ok"]


def test_an_interface_is_asked_with_a_body_and_never_followed_elsewhere(site: Site) -> None:
    fetcher = polite(site)
    assert fetcher.ask(f"{site.base}/echo", body=b'{"q": "ferry"}').data == b'{"q": "ferry"}'
    with pytest.raises(InputError):
        fetcher.ask(f"{site.base}/to-forbidden")
    assert "/forbidden" not in [path for path, _ in site.seen]


def test_a_secret_in_an_address_is_in_no_error(site: Site) -> None:
    with pytest.raises(InputError) as caught:
        polite(site).ask(f"{site.base}/walled?key=s3cr%2Ft", secret="s3cr/t")
    assert "s3cr" not in f"{caught.value.message}{caught.value.facts}"


def test_a_webhook_that_is_not_there_surely_got_nothing_and_a_slow_one_may_have(site: Site) -> None:
    with pytest.raises(UnavailableError) as refused:
        polite(site).tell("http://127.0.0.1:9/hook?key=s3cret", b"{}", {})
    with pytest.raises(UnavailableError) as slow:
        Fetcher(FetchLimits(total_s=0.3), True).tell(f"{site.base}/slow", b"{}", {})
    assert (refused.value.facts.get("unsent"), slow.value.facts.get("unsent")) == (True, None)
    assert "s3cret" not in f"{refused.value.message}{refused.value.facts}"
