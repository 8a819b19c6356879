"""Passages found in parsed documents as stretches of the files they were parsed from."""

import json
from functools import cache
from pathlib import Path

from bench.retrieval_sets import Span


class Files:
    """The files of a folder with a manifest, known by the address their documents carry."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._by_url: dict[str, list[str]] = {}
        for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("file"):
                self._by_url.setdefault(row.get("url", ""), []).append(row["file"])

    @cache  # noqa: B019  as long as one measure
    def spans_of(self, url: str, text: str) -> tuple[Span, ...]:
        """Where this text stands in its file, as far as its letters and digits tell; empty when it cannot be found."""
        wanted = "".join(char for char in text if char.isalnum())
        files = self._by_url.get(url, [])
        for file in files:
            letters, places = self._letters(file)
            at = letters.find(wanted)
            if at >= 0 and wanted:
                return (Span(file, places[at], places[at + len(wanted) - 1] + 1),)
        return max((self._pieces(file, text) for file in files), key=len, default=())

    def _pieces(self, file: str, text: str) -> tuple[Span, ...]:
        """The lines of a text one by one: what a parser took out between them cannot matter then."""
        letters, places = self._letters(file)
        found, last = [], 0
        for line in text.splitlines():
            wanted = "".join(char for char in line if char.isalnum())
            at = letters.find(wanted, last) if len(wanted) > 12 else -1
            if at >= 0:
                found.append(Span(file, places[at], places[at + len(wanted) - 1] + 1))
                last = at
        return tuple(found)

    @cache  # noqa: B019
    def _letters(self, file: str) -> tuple[str, list[int]]:
        kept = [(char, n) for n, char in enumerate((self._folder / file).open(encoding="utf-8", newline="").read()) if char.isalnum()]
        return "".join(char for char, _ in kept), [n for _, n in kept]
