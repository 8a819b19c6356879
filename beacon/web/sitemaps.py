"""Sitemaps: which pages a site has, and when each changed."""

import gzip
import io
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from beacon.errors import InputError

MAX_UNPACKED_BYTES = 52_428_800  # what the protocol allows one sitemap (sitemaps.org, 50 MiB)
MAX_ENTRIES = 50_000


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page, or, in an index, another sitemap."""

    url: str
    changed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A sitemap's entries in its own order; those of an index are sitemaps."""

    is_index: bool
    entries: tuple[SitemapEntry, ...]


def is_sitemap(data: bytes) -> bool:
    """Whether the document looks like a sitemap or an index of some."""
    head = unpacked(data)[:2000] if data[:2] == b"\x1f\x8b" else data[:2000]
    return b"<urlset" in head or b"<sitemapindex" in head


def unpacked(data: bytes) -> bytes:
    """The document out of gzip, in which large sitemaps come. Raises InputError for one that unfolds too far or is broken."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            found = packed.read(MAX_UNPACKED_BYTES + 1)
    except (OSError, EOFError) as error:
        raise InputError(f"The sitemap is packed and cannot be unpacked: {error}.") from error
    if len(found) > MAX_UNPACKED_BYTES:
        raise InputError("The sitemap unfolds to more than 50 MB: give one of its parts.")
    return found


def read_sitemap(data: bytes, url: str) -> Sitemap:
    """The sitemap in `data`, which was fetched from `url`; entries of other hosts are left out, as the protocol has it.

    Raises InputError when it is none, or holds entities of its own.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(unpacked(data), forbid_dtd=True)
    except DefusedXmlException as error:
        raise InputError(f"'{url}' defines entities of its own and is not read.", url=url) from error
    except (ParseError, ValueError, LookupError) as error:
        raise InputError(f"'{url}' is no sitemap that can be read: {error}.", url=url) from error
    kind = _local(root.tag)
    if kind not in ("urlset", "sitemapindex"):
        raise InputError(f"'{url}' is no sitemap: give the address of one, of a feed, or add it as a page.", url=url)
    host = urlsplit(url).hostname
    entries = (_entry(item) for item in list(root)[:MAX_ENTRIES])
    return Sitemap(kind == "sitemapindex", tuple(one for one in entries if one is not None and _host(one.url) == host))


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def _entry(item: object) -> SitemapEntry | None:
    fields = {_local(child.tag): (child.text or "").strip() for child in item}  # type: ignore[attr-defined]
    url = fields.get("loc", "")
    return SitemapEntry(url, _moment(fields.get("lastmod", ""))) if url.startswith(("http://", "https://")) else None


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
