"""Identifiers derived from content: the same input gives the same id on every machine."""

import hashlib
import json
import re
import unicodedata
from datetime import datetime

from beacon.errors import InputError

SLUG_LENGTH = 80
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def digest(data: bytes | str) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def make_id(prefix: str, *parts: object) -> str:
    """`prefix_` and 20 base-32 letters (100 bits of SHA-256 over the parts as JSON)."""
    canonical = json.dumps([_plain(part) for part in parts], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    number = int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:13], "big") >> 4
    letters = []
    for _ in range(20):
        number, rest = divmod(number, 32)
        letters.append(_ALPHABET[rest])
    return f"{prefix}_{''.join(letters)}"


def _plain(part: object) -> object:
    return part.isoformat() if isinstance(part, datetime) else part


def slugify(title: str) -> str:
    """The topic key of a title: NFKC, lower case, letters and digits of any script, spaces to hyphens, at most 80 characters."""
    folded = unicodedata.normalize("NFKC", title).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LN" or unicodedata.category(c) == "Mn" else " " if c.isspace() else "" for c in folded)
    slug = re.sub(r"\s+", "-", kept.strip())[:SLUG_LENGTH].strip("-")
    if not slug:
        raise InputError(f"The title '{title}' has no letter or digit: a topic needs at least one.", title=title)
    return slug
