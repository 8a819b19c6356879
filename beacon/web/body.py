"""A response's body, read to a limit, and the media type it has."""

import zlib
from collections.abc import Iterable, Iterator
from email.message import Message

from beacon.errors import InputError, UnavailableError

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_ALLOWED = frozenset(
    {
        "application/xhtml+xml", "application/pdf", "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/csv", "application/xml", "application/rss+xml",
        "application/atom+xml", "application/rdf+xml", "application/yaml", "application/x-yaml", _WORD,
    }
)  # fmt: skip
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"})
_STEP = 65_536


def is_allowed(media_type: str) -> bool:
    """Whether Beacon has a reader for `media_type`."""
    if media_type.startswith("text/") or media_type in _ALLOWED:
        return True
    return media_type.startswith("application/") and media_type.endswith(("+json", "+xml"))


def is_untold(media_type: str) -> bool:
    """Whether `media_type` says nothing, so that the bytes have to be looked at."""
    return media_type in _UNTOLD


def split_content_type(header: str) -> tuple[str, str]:
    """The media type, lower case, and the charset of a Content-Type header; "" where it does not say."""
    message = Message()
    message["content-type"] = header
    if not header.strip() or "/" not in header:
        return "", ""
    return message.get_content_type(), str(message.get_content_charset() or "")


def sniff(data: bytes) -> str:
    """The media type the bytes themselves show, or "" when they are nothing Beacon reads."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    lowered = head.lower()
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith(b"PK\x03\x04"):
        return _WORD if b"word/document.xml" in data else ""
    if lowered.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "text/html"
    if lowered.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf")):
        return "application/xml"
    return _sniff_text(data)


def _sniff_text(data: bytes) -> str:
    if b"\x00" in data:
        return ""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return "application/json" if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") else "text/plain"


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int, url: str) -> bytes:
    """The decoded body. Raises InputError past `max_bytes`, counted on the wire and again unpacked, so a small bomb stays small."""
    kept = bytearray()
    for piece in decoded(_counted(chunks, max_bytes, url), encoding, url):
        kept += piece
        if len(kept) > max_bytes:
            raise too_big(url, max_bytes)
    return bytes(kept)


def too_big(url: str, max_bytes: int) -> InputError:
    """The error for a page past its limit."""
    return InputError(f"'{url}' is larger than {max_bytes:,} bytes: raise the size limit in the settings, or give a smaller page.", url=url)


def _counted(chunks: Iterable[bytes], max_bytes: int, url: str) -> Iterator[bytes]:
    seen = 0
    for chunk in chunks:
        seen += len(chunk)
        if seen > max_bytes:
            raise too_big(url, max_bytes)
        yield chunk


def decoded(chunks: Iterable[bytes], encoding: str, url: str) -> Iterator[bytes]:
    """The body unpacked, in small pieces."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return iter(chunks)
    if name in ("gzip", "x-gzip", "deflate"):
        return _inflated(chunks, name, url)
    raise InputError(f"'{url}' is packed as '{encoding}', which was not asked for and is not read: try another address.", url=url)


def _inflated(chunks: Iterable[bytes], name: str, url: str) -> Iterator[bytes]:
    """Unpacked pieces of at most _STEP bytes. A deflate body may come with or without its zlib head (RFC 9110, 8.4.1.2)."""
    unpacker = None
    try:
        for chunk in chunks:
            unpacker = unpacker or zlib.decompressobj(_window(name, chunk))
            waiting = chunk
            while waiting:
                yield unpacker.decompress(waiting, _STEP)
                waiting = unpacker.unconsumed_tail
                if unpacker.eof and (waiting := unpacker.unused_data):
                    unpacker = zlib.decompressobj(_window(name, waiting))
    except zlib.error as error:
        raise InputError(f"'{url}' sent a {name} body that cannot be unpacked: {error}. Try again, or give another address.") from error
    if unpacker is not None and not unpacker.eof:
        raise UnavailableError(f"'{url}' broke off inside its {name} body. Try again later.", url=url)


def _window(name: str, head: bytes) -> int:
    if name != "deflate":
        return zlib.MAX_WBITS | 16
    has_head = len(head) > 1 and head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
    return zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS
