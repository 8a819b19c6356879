"""The eight pairs, as files of the formats their readers would meet."""

from collections.abc import Iterator
from pathlib import Path

from bench.held_out.records import register_pair, timetable_pair
from bench.held_out.render import as_memo, as_page
from bench.held_out.script import Script, read_script
from bench.long_pairs.build import Pair

SCRIPTS = Path(__file__).parent / "scripts"


def build_pairs() -> Iterator[Pair]:
    """All pairs in order of their ids."""
    yield from sorted([*_prose(), register_pair(), timetable_pair()], key=lambda pair: pair.id)


def _prose() -> Iterator[Pair]:
    relay = _script("relay-protocol", numbered=(True, True))
    heads = (
        "Tern Relay Protocol 2           Working Draft              March 2031",
        "Draft 05                    Tern Relay               November 2031",
    )
    sides = as_memo(relay.old, heads[0], "Marsh Working Group"), as_memo(relay.new, heads[1], "Expires in May 2032", width=70, length=51)
    yield Pair("relay-protocol", ".txt", *sides, relay.entries)
    motor = _script("car-insurance", numbered=(False, True))
    yield Pair(
        "car-insurance",
        ".md",
        motor.old,
        f"*Wayfarer Mutual, motor department*\n\n{motor.new}\n---\nPrinted on paper from old forms.\n",
        motor.entries,
    )
    decree = _script("arrete-municipal", numbered=(True, True))
    yield Pair("arrete-municipal", ".md", decree.old, decree.new.replace("\n## ", "\n## Article "), decree.entries)
    sheet = _script("safety-sheet", numbered=(False, False))
    yield Pair("safety-sheet", ".md", sheet.old, sheet.new.replace("## SECTION ", "## "), sheet.entries)
    for name, title, heads in (
        ("museum-visit", "Visit", ("Home | Visit | Shop", "Start | Plan your visit | What is on | Shop | Give")),
        ("os-support", "Supported systems", ("Docs 8.4 > Platforms", "Documentation > 8.5 > Install > Platforms")),
    ):
        script = _script(name, numbered=(False, name == "os-support"))
        feet = (f"© 2030 {title}", f"© 2031 {title}. Legal notice. Cookies. Back to top")
        pages = as_page(script.old, title, heads[0], feet[0]), as_page(script.new, f"{title} – 2031", heads[1], feet[1], tidy=True)
        yield Pair(name, ".html", *pages, script.entries)


def _script(name: str, *, numbered: tuple[bool, bool]) -> Script:
    return read_script((SCRIPTS / f"{name}.txt").read_text(encoding="utf-8"), numbered=numbered)
