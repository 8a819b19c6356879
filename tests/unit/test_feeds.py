"""What a feed lists."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from beacon.errors import InputError
from beacon.web.feeds import read_feed

URL = "https://news.example.org/feeds/all.xml"


def rss(items: str, head: str = "<title>Harbour news</title>") -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>{head}{items}</channel></rss>'.encode()


def atom(entries: str) -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title>{entries}</feed>'.encode()


def test_feed_has_its_title() -> None:
    assert read_feed(rss("<item><link>https://a.test/1</link></item>"), URL).title == "Harbour news"


def test_relative_link_is_resolved() -> None:
    assert read_feed(rss("<item><link>../story/1</link></item>"), URL).entries[0].url == "https://news.example.org/story/1"


def test_entry_without_link_is_left_out() -> None:
    feed = read_feed(rss("<item><title>no link</title></item><item><title>b</title><link>https://a.test/2</link></item>"), URL)
    assert [entry.title for entry in feed.entries] == ["b"]


def test_script_link_is_left_out() -> None:
    assert read_feed(rss("<item><link>javascript:alert(1)</link></item>"), URL).entries == ()


def test_date_with_zone_becomes_utc() -> None:
    feed = read_feed(rss("<item><link>https://a.test/1</link><pubDate>Tue, 06 Jan 2026 23:30:00 -0500</pubDate></item>"), URL)
    assert feed.entries[0].published_at == datetime(2026, 1, 7, 4, 30, tzinfo=UTC)


def test_unreadable_date_is_none() -> None:
    feed = read_feed(rss("<item><link>https://a.test/1</link><pubDate>soon</pubDate></item>"), URL)
    assert feed.entries[0].published_at is None


def test_atom_update_stands_in_for_publication() -> None:
    feed = read_feed(atom('<entry><title>t</title><link href="/x"/><updated>2026-02-03T04:05:06Z</updated></entry>'), URL)
    assert feed.entries[0].published_at == datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)


def test_summary_is_plain_text() -> None:
    item = (
        "<item><link>https://a.test/1</link><description>&lt;p&gt;One &amp;amp; two&lt;/p&gt;&lt;p&gt;three&lt;/p&gt;</description></item>"
    )
    assert read_feed(rss(item), URL).entries[0].summary == "One & two three"


def test_other_scripts_survive() -> None:
    feed = read_feed(rss("<item><title>潮位の記録</title><link>https://a.test/潮</link></item>"), URL)
    assert feed.entries[0].title == "潮位の記録"


def test_broken_end_keeps_what_was_read() -> None:
    whole = rss("<item><title>kept</title><link>https://a.test/1</link></item>")
    assert read_feed(whole.replace(b"</channel></rss>", b"<item><title>cut"), URL).entries[0].title == "kept"


def test_empty_feed_is_a_feed() -> None:
    assert read_feed(rss(""), URL).entries == ()


@pytest.mark.parametrize(
    "data", [b"", b"<html><body>hello</body></html>", b"not xml", b"\x00\xff\xfe", b"/etc/hostname", b"https://127.0.0.1:1/"]
)
def test_what_is_no_feed_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"news\.example\.org"):
        read_feed(data, URL)


def test_broken_before_the_first_entry_is_refused() -> None:
    with pytest.raises(InputError):
        read_feed(b'<?xml version="1.0"?><rss version="2.0"><channel><title>a</tit', URL)


def test_bytes_that_name_a_file_are_not_opened(tmp_path: Path) -> None:
    stored = tmp_path / "feed.xml"
    stored.write_bytes(rss("<item><link>https://a.test/1</link></item>"))
    with pytest.raises(InputError):
        read_feed(str(stored).encode(), URL)


def test_outer_entities_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    data = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'.encode()
    data += rss("<item><title>a&x;</title><link>https://a.test/1</link></item>").partition(b"?>")[2]
    assert "secret" not in read_feed(data, URL).entries[0].title


def test_a_feed_of_entities_within_entities_stays_small() -> None:
    nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "ha">{nested}]><rss version="2.0"><channel><title>&e11;</title>'
    item = "<item><title>&e11;</title><link>https://one.example/a</link></item></channel></rss>"
    began = time.monotonic()
    try:
        found = read_feed((bomb + item).encode(), "https://one.example/feed")
        assert len(found.title) + sum(len(entry.title) for entry in found.entries) < 10_000
    except InputError:
        pass
    assert time.monotonic() - began < 5
