"""Identifiers derived from content: the same input gives the same id on every machine."""

import hashlib
import json
import re
import unicodedata
from datetime import datetime

from beacon.errors import InputError

SLUG_LENGTH = 80
_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def digest(data: bytes | str) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def make_id(prefix: str, *parts: object) -> str:
    """`prefix_` and 24 hex digits (96 bits of SHA-256 over the parts, each marked with its type and length)."""
    return id_of(prefix, mark(*parts))


def mark(*parts: object) -> str:
    """The parts as they go into an id. Marks may be joined: `id_of(p, mark(a) + mark(b))` is `make_id(p, a, b)`."""
    return "".join([f"s{len(part)}:{part}" if type(part) is str else _marked(part) for part in parts])


def id_of(prefix: str, marked: str) -> str:
    """The id of parts that are marked already."""
    return f"{prefix}_{hashlib.sha256(marked.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _marked(part: object) -> str:
    if type(part) is int:
        return f"i{part};"
    return f"t{part.isoformat()};" if isinstance(part, datetime) else f"j{_canonical(part)};"


def slugify(title: str) -> str:
    """The topic key of a title: NFKC, lower case, letters and digits of any script, spaces to hyphens, at most 80 characters."""
    folded = unicodedata.normalize("NFKC", title).lower()
    kept = "".join(
        c if unicodedata.category(c)[0] in "LN" or unicodedata.category(c) in ("Mn", "Mc") else " " if c.isspace() else "" for c in folded
    )
    slug = re.sub(r"\s+", "-", kept.strip())[:SLUG_LENGTH].strip("-")
    if not slug:
        raise InputError(f"The title '{title}' has no letter or digit: a topic needs at least one.", title=title)
    return slug
