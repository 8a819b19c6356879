"""Files that cannot be read: each is an InputError that names the file and says what to do, or a warning on what was read."""

import io
import time
import zipfile
from pathlib import Path

import pytest

from beacon.errors import InputError
from beacon.ingest.chunk import chunk_document
from beacon.ingest.limits import ParseLimits
from beacon.ingest.manifest import read_path
from beacon.ingest.parse import parse_bytes


def _pdf(password: str = "") -> bytes:
    from reportlab.pdfgen import canvas  # type: ignore[import-untyped,unused-ignore]

    out = io.BytesIO()
    paper = canvas.Canvas(out, encrypt=password or None, invariant=1)
    paper.drawString(50, 700, "Words in a page.")
    paper.save()
    return out.getvalue()


def _empty_pdf() -> bytes:
    from reportlab.pdfgen import canvas  # type: ignore[import-untyped,unused-ignore]

    out = io.BytesIO()
    paper = canvas.Canvas(out, invariant=1)
    paper.rect(10, 10, 50, 50)
    paper.save()
    return out.getvalue()


def _zip(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def _lying_zip() -> bytes:
    """An archive that declares a small size for a part that unpacks to far more."""
    honest = _zip({"word/document.xml": b"a" * 30_000_000})
    return honest.replace((30_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))


def _docx_with_entities(encoding: str) -> bytes:
    bomb = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d>&b;</d>'
    return _zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": bomb.encode(encoding)})


REFUSED = {
    "empty.txt": (b"", "empty"),
    "spaces.txt": (b" \n \n", "no readable text"),
    "binary.txt": (bytes(range(256)) * 40, "binary"),
    "nul.txt": (b"ab\0cd\0ef", "binary"),
    "corrupt.pdf": (b"%PDF-1.7\n" + b"garbage " * 200, "damaged"),
    "cut.pdf": (_pdf()[:300], "damaged"),
    "locked.pdf": (_pdf("secret"), "password"),
    "scan.pdf": (_empty_pdf(), "OCR"),
    "not.pdf": (b"just words", "not the PDF"),
    "not.docx": (b"just words", "not the DOCX"),
    "cut.docx": (_zip({"word/document.xml": b"<w/>" * 100})[:80], "damaged"),
    "hollow.docx": (_zip({"word/document.xml": b"<w/>"}), "damaged"),
    "bomb.docx": (_zip({"word/document.xml": b"a" * 30_000_000}), "refused"),
    "lying.docx": (_lying_zip(), "damaged|refused"),
    "entities.docx": (_docx_with_entities("utf-8"), "XML entities"),
    "wide-entities.docx": (_docx_with_entities("utf-16"), "XML entities"),
    "sheet.xlsx": (_zip({"xl/workbook.xml": b"<x/>"}), "CSV"),
    "old.doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "DOCX"),
    "photo.png": (b"\x89PNG\r\n\x1a\n" + bytes(100), "picture"),
    "mystery.bin": (bytes(range(256)), "binary"),
    "broken.json": (b'{"a": 1,\n "b": }', "line 2"),
    "deep.json": (b"[" * 200_000 + b"]" * 200_000, "deeply"),
    "header-only.csv": (b"id,text\n", "no rows"),
    "script.html": (b"<html><body><script>render()</script></body></html>", "no readable text"),
    "large.txt": (b"x" * 20_000_001, "20.0 MB"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unusable_files_are_refused_by_name_with_a_reason(name: str) -> None:
    data, reason = REFUSED[name]
    with pytest.raises(InputError, match=reason) as raised:
        parse_bytes(data, name=name)
    assert name in raised.value.message


def test_a_file_far_too_large_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as stream:
        stream.truncate(50_000_000)
    begun = time.perf_counter()
    with pytest.raises(InputError, match=r"huge\.txt.*50\.0 MB"):
        read_path(path)
    assert time.perf_counter() - begun < 0.2


def test_a_bomb_is_refused_by_what_it_declares_before_it_is_unpacked() -> None:
    data = _zip({f"word/{n}.xml": b"a" * 20_000_000 for n in range(10)})
    begun = time.perf_counter()
    with pytest.raises(InputError, match="refused"):
        parse_bytes(data, name="bomb.docx")
    assert time.perf_counter() - begun < 0.2


def test_an_archive_larger_inside_than_the_limit_is_refused_whatever_its_ratio() -> None:
    with pytest.raises(InputError, match="refused"):
        parse_bytes(_zip({"word/document.xml": bytes(range(256)) * 8}), name="x.docx", limits=ParseLimits(max_unzipped_bytes=2000))


def test_text_that_unfolds_beyond_the_limit_is_refused() -> None:
    with pytest.raises(InputError, match="unfolds"):
        parse_bytes(b"word " * 100, name="x.txt", limits=ParseLimits(max_chars=100))


def test_a_pdf_with_too_many_pages_is_refused() -> None:
    with pytest.raises(InputError, match="pages"):
        parse_bytes(_pdf(), name="x.pdf", limits=ParseLimits(max_pages=0))


LEGACY = {
    "cp1252": "Das Gebäude wurde früher „Hafenhaus“ genannt – größer war keines.",
    "cp1250": "Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "cp1251": "Все люди рождаются свободными и равными в своём достоинстве и правах.",
    "shift_jis": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "gb18030": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "euc_kr": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}


@pytest.mark.parametrize("encoding", LEGACY)
def test_ordinary_legacy_encodings_are_read_with_a_warning(encoding: str) -> None:
    doc = parse_bytes((LEGACY[encoding] * 4).encode(encoding), name="old.txt")
    assert doc.text.startswith(LEGACY[encoding])
    assert "not UTF-8" in doc.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    assert parse_bytes("Größe: 10 metres of rope".encode(encoding), name="x.txt").text == "Größe: 10 metres of rope"


def test_a_few_damaged_bytes_do_not_spoil_a_utf8_file() -> None:
    doc = parse_bytes("Größe und Länge für alle Möwen. ".encode() * 20 + b"\xc3", name="x.txt")
    assert "Größe und Länge" in doc.text
    assert "damaged" in doc.warnings[0]


def test_a_stray_nul_in_a_long_text_is_dropped() -> None:
    assert "\0" not in parse_bytes(b"ordinary words of a log line\n" * 200 + b"\0", name="x.log").text


SLOW = {
    "spaces.txt": "a" + " " * 300_000 + "b",
    "marks.txt": "e" + "\u0301" * 300_000,
    "comments.txt": "<!-- x -->" * 400 + "words",
    "columns.csv": "a,b,c;" * 20_000 + "\n1",
    "quotes.csv": "a,b\n" + '"x\n' * 50_000,
    "brackets.md": "words " + "[" * 100_000,
    "tags.html": "words" + "<a>" * 100_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_text_made_to_be_slow_is_read_or_refused_soon(name: str) -> None:
    begun = time.process_time()
    try:
        chunk_document(parse_bytes(SLOW[name].encode(), name=name))
    except InputError as error:
        assert name in error.message
    assert time.process_time() - begun < 5
