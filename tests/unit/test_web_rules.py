"""robots.txt, the pace at a host, addresses and sitemaps."""

import gzip

import pytest

from beacon.errors import InputError
from beacon.web.addresses import canonical
from beacon.web.pace import Turns
from beacon.web.robots import read_robots
from beacon.web.sitemaps import is_sitemap, read_sitemap
from beacon.web.transport import Deadline

HOST = "https://one.example"


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /private", "/private/x", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow: /\nAllow: /open/", "/open/x", True),
        ("User-agent: *\nAllow: /x\nDisallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True),
        ("User-agent: *\nDisallow: /a?x=", "/a?x=1", False),
        ("User-agent: beacon\nDisallow: /b\n\nUser-agent: *\nDisallow: /", "/a", True),
        ("User-agent: Beacon/1.0\nDisallow: /b", "/b", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("user-agent: a\nuser-agent: beacon # us\ndisallow: /b # not this", "/b", False),
        ("User-agent: *\nDisallow: /%C3%A9t%C3%A9", "/été", False),
        ("\ufeffUser-agent: *\nDisallow: /b", "/b", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("<html>not found</html>", "/a", True),
    ],
)
def test_robots_txt_says_what_may_be_read(text: str, path: str, allowed: bool) -> None:
    assert read_robots(text.encode(), "Beacon").allows(HOST + path) is allowed


def test_a_robots_txt_of_noise_breaks_nothing() -> None:
    assert read_robots(bytes(range(256)) * 100, "Beacon").allows(HOST)


@pytest.mark.parametrize(("told", "delay"), [("2", 2.0), ("0.5", 0.5), ("86400", 10.0), ("soon", 0.0), ("-1", 0.0)])
def test_a_crawl_delay_is_kept_within_reason(told: str, delay: float) -> None:
    assert read_robots(f"User-agent: *\nCrawl-delay: {told}".encode(), "Beacon").delay_s == delay


class Watch:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def begins(turns: Turns, watch: Watch, *hosts: str) -> list[float]:
    found = []
    for host in hosts:
        with turns.at(host, Deadline(60)):
            found.append(watch() - 100.0)
    return found


def test_a_pause_stands_between_two_calls_to_one_host_and_to_no_other() -> None:
    watch = Watch()
    assert begins(Turns(2, 0.5, now=watch, sleep=watch.sleep), watch, "a", "b", "A", "a") == [0.0, 0.0, 0.5, 1.0]


def test_a_host_that_wants_to_be_left_alone_is() -> None:
    watch = Watch()
    turns = Turns(2, now=watch, sleep=watch.sleep)
    turns.leave("a", 7)
    assert begins(turns, watch, "b", "a") == [0.0, 7.0]


def test_a_host_may_ask_for_a_longer_pause() -> None:
    watch = Watch()
    turns = Turns(2, 0.1, now=watch, sleep=watch.sleep)
    turns.slow("a", 3)
    assert begins(turns, watch, "a", "a") == [0.0, 3.0]


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("HTTPS://One.Example:443/a#part", "https://one.example/a"),
        ("https://one.example", "https://one.example/"),
        ("https://one.example/a?utm_source=x&id=7&fbclid=y", "https://one.example/a?id=7"),
        ("https://one.example/a?q=a+b&x=%C3%A9", "https://one.example/a?q=a+b&x=%C3%A9"),
        ("https://one.example./a", "https://one.example/a"),
        ("http://one.example:8080/", "http://one.example:8080/"),
        ("http://[::1]:80/a", "http://[::1]/a"),
        ("https://me:pw@one.example/a?utm_source=x", "https://me:pw@one.example/a?utm_source=x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("http://[bad", "http://[bad"),
    ],
)
def test_links_to_one_page_have_one_address(url: str, plain: str) -> None:
    assert canonical(url) == plain == canonical(plain)


MAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://one.example/a</loc><lastmod>2026-03-02</lastmod></url><url><loc>https://elsewhere.example/b</loc></url>
<url><loc>file:///etc/passwd</loc></url><url/></urlset>"""


@pytest.mark.parametrize("data", [MAP, gzip.compress(MAP)])
def test_a_sitemap_lists_the_pages_of_its_own_host(data: bytes) -> None:
    assert is_sitemap(data)
    found = read_sitemap(data, f"{HOST}/sitemap.xml")
    assert [(one.url, one.changed_at and one.changed_at.date().isoformat()) for one in found.entries] == [
        ("https://one.example/a", "2026-03-02")
    ]


def test_an_index_is_told_apart() -> None:
    index = MAP.replace(b"urlset", b"sitemapindex").replace(b"<url>", b"<sitemap>").replace(b"</url>", b"</sitemap>")
    assert read_sitemap(index, f"{HOST}/sitemap.xml").is_index


BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize("data", [BOMB, b"<urlset><url>", b"<rss></rss>", b"", b"\x1f\x8b broken"])
def test_what_is_no_sitemap_or_a_bomb_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_sitemap(data, f"{HOST}/sitemap.xml")


def test_a_packed_sitemap_that_unfolds_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="50 MB"):
        read_sitemap(gzip.compress(b"<urlset>" + b" " * 60_000_000), f"{HOST}/sitemap.xml.gz")
