"""Citations: the exact place of the exact words."""

from dataclasses import asdict, dataclass

from beacon.errors import EvidenceError


@dataclass(frozen=True, slots=True)
class Citation:
    """`quote` is the slice `[start, end)` of the text of a version (`version_id`) or an event (`event_id`)."""

    quote: str
    start: int
    end: int
    version_id: str = ""
    event_id: str = ""
    chunk_id: str = ""
    source_id: str = ""
    url: str = ""
    title: str = ""

    def as_json(self) -> dict[str, object]:
        """The stored and printed form."""
        return asdict(self)


def check_quote(text: str, start: int, end: int, quote: str) -> None:
    """Raise EvidenceError unless `text[start:end]` is the quote, to the letter."""
    if not quote or not 0 <= start < end <= len(text) or text[start:end] != quote:
        raise EvidenceError("The quote is not the exact text at its place in the source.", start=start, end=end, quote=quote[:80])
