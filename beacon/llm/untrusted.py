"""Text from outside, made safe to hand to a model: well formed, and fenced off as data."""

import re

from beacon.domain.ids import digest

_SURROGATES = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot carry, as U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def data_section(label: str, text: str) -> str:
    """The text between two lines that name it data.

    The lines carry a number derived from the text itself, so no text can hold its own closing line, and none has to be altered.
    """
    body = well_formed(text)
    mark = digest(f"{label}\n{body}")[:16]
    return f"[data {mark}: {label}]\n{body}\n[end of data {mark}]"
