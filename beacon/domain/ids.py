"""Identifiers derived from content: the same input gives the same id on every machine."""

import base64
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
    """`prefix_` and 20 base-32 letters (100 bits of SHA-256 over the parts as JSON)."""
    canonical = _canonical([part.isoformat() if isinstance(part, datetime) else part for part in parts])
    letters = base64.b32encode(hashlib.sha256(canonical.encode()).digest()[:13]).decode().lower()
    return f"{prefix}_{letters[:20]}"


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
