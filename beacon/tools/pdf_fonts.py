"""Which font shows a character of a PDF: Beacon's own for Latin, Greek, Cyrillic and signs, the reader's for Chinese, Japanese, Korean."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

FONTS = Path(__file__).parent / "fonts"
TEXT, SIGNS = "Text", "Signs"
_FILES = {
    TEXT: "NotoSans-Regular", "Text-Bold": "NotoSans-Bold", "Text-Italic": "NotoSans-Italic", SIGNS: "DejaVuSans-Symbols",
}  # fmt: skip
_JAPANESE, _KOREAN, _CHINESE = "HeiseiKakuGo-W5", "HYGothic-Medium", "STSong-Light"  # named in every PDF reader, embedded in none
_KANA = (("\u3040", "\u30ff"), ("\u31f0", "\u31ff"), ("\uff66", "\uff9f"))
_HANGUL = (("\u1100", "\u11ff"), ("\u3130", "\u318f"), ("\uac00", "\ud7af"))
_HAN = (("\u2e80", "\u2fdf"), ("\u3000", "\u303f"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\uff00", "\uffef"))
MISSING = "\u25a1"
_UNSEEN = frozenset({"Cc", "Cf", "Mn"})  # marks without a glyph of their own: left out, nothing to show for them
_SCRIPT_NAMES = {"CJK": "Chinese"}


@cache
def register() -> dict[str, Any]:
    """The fonts of the PDF by name, made known to its library once."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFont

    made = {name: TTFont(name, str(FONTS / f"{file}.ttf")) for name, file in _FILES.items()}
    for font in made.values():
        pdfmetrics.registerFont(font)
    for name in (_JAPANESE, _KOREAN, _CHINESE):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    pdfmetrics.registerFontFamily(TEXT, normal=TEXT, bold="Text-Bold", italic="Text-Italic", boldItalic="Text-Bold")
    return made


def _within(char: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= char <= last for first, last in ranges)


class Lettering:
    """Text as the marked-up lines of one document, and what of it could not be shown."""

    def __init__(self, document: str) -> None:
        fonts = register()
        self._letters = fonts[TEXT].face.charToGlyph
        self._signs = fonts[SIGNS].face.charToGlyph
        kana = any(_within(char, _KANA) for char in document)
        self._han = _JAPANESE if kana else _CHINESE
        self.missing: Counter[str] = Counter()  # script → how many characters
        self.borrowed = False  # whether it needs fonts of whoever shows it

    def mark_up(self, text: str) -> str:
        """The text with a font named wherever the main one lacks a letter."""
        shown = unicodedata.normalize("NFC", text)
        return "".join(self._pieces(shown))

    def _pieces(self, text: str) -> Iterator[str]:
        for font, chars in groupby(text, self._font_of):
            if font == "":
                continue
            piece = "".join(chars)
            if font == MISSING:
                self.missing.update(_script(char) for char in piece)
                font, piece = SIGNS, MISSING * len(piece)
            yield escape(piece) if font == TEXT else f'<font name="{font}">{escape(piece)}</font>'

    def _font_of(self, char: str) -> str:
        if char in "\n\t" or ord(char) in self._letters:
            return TEXT
        if ord(char) in self._signs:
            return SIGNS
        if found := self._eastern(char):
            self.borrowed = True
            return found
        return "" if unicodedata.category(char) in _UNSEEN else MISSING

    def _eastern(self, char: str) -> str:
        if _within(char, _HANGUL):
            return _KOREAN
        return self._han if _within(char, _KANA) or _within(char, _HAN) else ""

    def notes(self) -> list[str]:
        """What a reader should know about letters that this file cannot show, or borrows."""
        told = []
        if self.missing:
            named = ", ".join(f"{script} ({count})" for script, count in sorted(self.missing.items()))
            told.append(f"{MISSING} stands for characters this file has no letters for: {named}. The HTML and Word forms show them.")
        if self.borrowed:
            told.append("Chinese, Japanese and Korean text is shown in the fonts of the program that opens this file.")
        return told


def _script(char: str) -> str:
    name = unicodedata.name(char, "unknown").split()[0].split("-")[0]
    return _SCRIPT_NAMES.get(name, name.capitalize())


def is_unspaced(text: str) -> bool:
    """Whether lines of the text may break between any two characters."""
    eastern = sum(_within(char, _KANA) or _within(char, _HAN) for char in text)
    return eastern > len(text) / 4
