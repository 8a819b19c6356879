"""Lines of a document: taken apart, replaced, added, and two edits made from the same text brought together."""

from difflib import SequenceMatcher

BULLETS = ("- ", "* ", "+ ", "• ")


def split_line(line: str) -> tuple[str, str]:
    """(what stands before the words, the words) of a line: indentation and bullet, or the signs of a heading."""
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    if bare.startswith("#"):
        words = bare.lstrip("#").strip()
        return line[: len(line) - len(bare.lstrip("#").lstrip())], words
    bullet = next((sign for sign in BULLETS if bare.startswith(sign)), "")
    return indent + bullet, bare[len(bullet) :].strip()


def replace_line(content: str, n: int, words: str | None) -> str:
    """The text with the words of line `n` replaced, or the line taken out for None."""
    lines = content.split("\n")
    if words is None:
        del lines[n]
    else:
        lines[n] = split_line(lines[n])[0] + " ".join(words.split())
    return "\n".join(lines)


def add_line(content: str, words: str) -> str:
    """The text with one more statement at its end, a bullet where the last line is one."""
    body = content.rstrip("\n")
    last = body.rsplit("\n", 1)[-1]
    sign = split_line(last)[0] if last.lstrip().startswith(BULLETS) else "- "
    return f"{body}\n{sign}{' '.join(words.split())}\n" if body else f"{sign}{' '.join(words.split())}\n"


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Both edits of `base` in one text; None where they touch the same lines."""
    old, new, out = base.split("\n"), mine.split("\n"), theirs.split("\n")
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        at = _place(out, old, i1, i2)
        if at is None:
            return None
        out[at : at + i2 - i1] = new[j1:j2]
    return "\n".join(out)


def _place(lines: list[str], base: list[str], start: int, end: int) -> int | None:
    """Where the lines `base[start:end]` stand now, or where something between their neighbours goes."""
    gone = base[start:end]
    if gone:
        return next((n for n in range(len(lines) - len(gone) + 1) if lines[n : n + len(gone)] == gone), None)
    if start and base[start - 1] in lines:
        return lines.index(base[start - 1]) + 1
    return 0 if not start else None
