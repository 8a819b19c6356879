"""How much a file may be before it is refused, and what is refused before a parser ever sees it."""

import io
import zipfile
import zlib
from dataclasses import dataclass

from beacon.errors import InputError

_STEP = 1 << 16
_DTD_MARKS = tuple(mark.encode(code) for mark in ("<!DOCTYPE", "<!ENTITY") for code in ("ascii", "utf-16-le", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """The ceilings of one parse; what is above them is refused with an InputError that names the file."""

    max_bytes: int = 20_000_000  # of the file as given
    max_chars: int = 20_000_000  # of the text made from it
    max_blocks: int = 1_000_000
    max_pages: int = 3_000  # of a PDF
    max_rows: int = 500_000  # of a CSV or JSON Lines file
    max_unzipped_bytes: int = 100_000_000  # of all parts of a DOCX together
    max_zip_ratio: int = 100  # unzipped to zipped, for archives that unzip to more than `zip_ratio_from`
    zip_ratio_from: int = 5_000_000  # bytes; small documents of blank pages compress better than any rule of thumb
    max_zip_parts: int = 5_000


DEFAULT = ParseLimits()


def megabytes(size: int) -> str:
    """`size` in decimal megabytes, as people read it."""
    return f"{size / 1_000_000:.1f} MB"


def check_size(size: int, name: str, limits: ParseLimits) -> None:
    """Raise InputError for an empty file or one larger than the limit."""
    if size == 0:
        raise InputError(f"'{name}' is empty: there is nothing to read. Check that the export or download finished.", file=name)
    if size > limits.max_bytes:
        raise InputError(
            f"'{name}' is {megabytes(size)}, more than the {megabytes(limits.max_bytes)} Beacon reads in one file: split it.",
            file=name,
            size=size,
        )


def check_chars(count: int, name: str, limits: ParseLimits) -> None:
    """Raise InputError when the text made from a file is longer than the limit."""
    if count > limits.max_chars:
        raise InputError(
            f"'{name}' unfolds to more than {limits.max_chars:,} characters of text: split it into smaller files.", file=name, chars=count
        )


def check_zip(data: bytes, name: str, limits: ParseLimits) -> list[str]:
    """The archive's part names, once its declared and its actual sizes are found harmless. Raises InputError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_declared(archive.infolist(), len(data), name, limits)
            _check_actual(archive, name, limits)
            return archive.namelist()
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, zipfile.LargeZipFile) as error:
        raise InputError(f"'{name}' is damaged: its archive cannot be opened ({error}). Save or download it again.", file=name) from error
    except zlib.error as error:
        raise InputError(f"'{name}' is damaged: its archive cannot be unpacked. Save or download it again.", file=name) from error


def _check_declared(parts: list[zipfile.ZipInfo], packed: int, name: str, limits: ParseLimits) -> None:
    total = sum(part.file_size for part in parts)
    if len(parts) > limits.max_zip_parts:
        raise InputError(f"'{name}' has {len(parts):,} parts inside, more than {limits.max_zip_parts:,}: it is refused.", file=name)
    if total > limits.max_unzipped_bytes or (total > limits.zip_ratio_from and total > limits.max_zip_ratio * packed):
        raise _bomb(name, total, limits)


def _check_actual(archive: zipfile.ZipFile, name: str, limits: ParseLimits) -> None:
    total = 0
    for part in archive.infolist():
        is_xml = part.filename.lower().endswith((".xml", ".rels"))
        tail = b""
        with archive.open(part) as stream:
            while step := stream.read(_STEP):
                total += len(step)
                if total > limits.max_unzipped_bytes:
                    raise _bomb(name, total, limits)
                if is_xml:
                    _refuse_dtd(tail + step, name, part.filename)
                    tail = step[-32:]


def _refuse_dtd(step: bytes, name: str, part: str) -> None:
    if any(mark in step for mark in _DTD_MARKS):
        raise InputError(
            f"'{name}' is refused: its part '{part}' defines XML entities, which documents never need and which can exhaust memory. "
            "Save it again from a word processor.",
            file=name,
        )


def _bomb(name: str, total: int, limits: ParseLimits) -> InputError:
    return InputError(
        f"'{name}' is refused: it would unpack to {megabytes(total)} or more, which no ordinary document of its size does "
        f"(limit {megabytes(limits.max_unzipped_bytes)}, ratio {limits.max_zip_ratio}:1). Remove large pictures, or save it as text.",
        file=name,
        unzipped=total,
    )
