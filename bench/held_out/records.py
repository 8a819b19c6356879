"""The two pairs that are records: a register of packages in JSON, and the timetables of a school in CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bench.long_pairs.build import Entry, Pair, Place

_Draft = tuple[str, str, Sequence[Place], Sequence[Place]]  # weight, summary, places in the old and in the new version

_NAMES = (
    "amber-queue", "birch-dates", "cinder-log", "dune-router", "ember-csv", "fjord-http", "gravel-json", "heather-auth", "iris-plot",
    "juniper-mail", "kelp-cache", "larch-tree", "maple-forms", "nettle-crypt", "ochre-colour", "pebble-uuid", "quartz-clock",
    "reed-stream", "sage-units", "thistle-test", "umber-image", "vetch-yaml", "willow-search", "yarrow-geo", "zephyr-wind",
)  # fmt: skip
_LICENCES = ("MIT", "Apache-2.0", "BSD-3-Clause", "MPL-2.0")
_PURPOSES = (
    "Reads and writes {} without loading everything into memory.",
    "Small tools for {} that work the same on every system.",
    "A library for {} with typed results and clear errors.",
    "Helps services deal with {} under load.",
)
_MATTERS = (
    "work queues", "dates and calendars", "structured logs", "addresses of pages", "tables of values", "requests over the network",
    "nested records", "sign-in and sessions", "charts", "letters and attachments", "short-lived copies", "trees", "forms", "sealed boxes",
    "colours", "identifiers", "clocks", "endless input", "units of measure", "tests", "pictures", "settings files", "full-text search",
    "places on the map", "wind measurements",
)  # fmt: skip


def _package(n: int) -> dict[str, Any]:
    name = _NAMES[n]
    return {
        "name": name,
        "version": f"{1 + n % 4}.{n * 3 % 10}.{n * 7 % 5}",
        "summary": _PURPOSES[n % 4].format(_MATTERS[n]),
        "licence": _LICENCES[n * 3 % 4],
        "runtime": f">={3 + n % 3}.{8 + n % 3}",
        "status": "maintained" if n % 6 else "feature complete",
        "dependencies": {_NAMES[(n + k * 5) % 25]: f"^{1 + (n + k * 5) % 4}.0" for k in range(1, 1 + n % 3)},
        "published": f"2030-{1 + n % 12:02}-{3 + n:02}",
        "size_kb": 40 + n * n % 900,
        "downloads": 1200 + n * 977,
        "homepage": f"https://{name}.example.org/",
        "maintainers": [f"team-{name.split('-')[0]}", *(["rota"] if n % 5 == 0 else [])],
        "advisories": [],
        "notes": f"Releases of {name} are signed by its team and kept for at least {2 + n % 4} years after they have been replaced.",
    }


_FIELDS: tuple[tuple[str, str, str, str, Any], ...] = (  # weight, summary, package, field, new value
    ("important", "dune-router changes its licence", "dune-router", "licence", "AGPL-3.0"),
    ("important", "heather-auth is deprecated", "heather-auth", "status", "deprecated, use hazel-auth instead"),
    ("important", "nettle-crypt needs a newer runtime", "nettle-crypt", "runtime", ">=5.0"),
    ("important", "fjord-http jumps a major version", "fjord-http", "version", "4.0.0"),
    ("important", "kelp-cache yanked", "kelp-cache", "status", "yanked because of data loss"),
    ("important", "maple-forms gets fixes only", "maple-forms", "summary", "No longer maintained for new projects; fixes only."),
    ("minor", "birch-dates has other keepers", "birch-dates", "maintainers", ["team-almanac"]),
    ("minor", "umber-image moved", "umber-image", "homepage", "https://pictures.example.net/umber/"),
    ("minor", "sage-units patch release", "sage-units", "version", "3.4.2"),
    ("minor", "zephyr-wind ten times as large", "zephyr-wind", "size_kb", 6160),
)  # fmt: skip


def register_pair() -> Pair:
    """The register of packages: keys and entries stand in another order, counts move, and thirteen things are news."""
    old = {_NAMES[n]: _package(n) for n in range(25)}
    new: dict[str, Any] = json.loads(json.dumps(old))
    for _, _, name, field, value in _FIELDS:
        new[name][field] = value
    del new["reed-stream"]
    new["hazel-auth"] = _package(7) | {
        "name": "hazel-auth", "version": "1.0.0", "summary": "Signs people in with keys kept in their own devices.",
        "homepage": "https://hazel-auth.example.org/", "maintainers": ["team-hazel"], "notes": "New in this register since the spring.",
    }  # fmt: skip
    new["willow-search"]["advisories"] = [_ADVISORY]
    for n, one in enumerate(new.values()):
        one["downloads"] += 310 + n * 41
    new = {name: dict(sorted(new[name].items())) for name in sorted(new, reverse=True)}
    texts = [
        json.dumps({"register": "Hillside packages", "generated": day, "packages": list(rows.values())}, indent=indent) + "\n"
        for day, rows, indent in (("2030-12-01T04:00:00Z", old, 2), ("2031-06-01T04:00:00Z", new, 4))
    ]
    return Pair("package-register", ".json", texts[0], texts[1], _entries(_register_drafts(old, new)))


_ADVISORY = "WS-2031-02 crafted queries can read other tenants' titles; update to 3.6.5"


def _register_drafts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[_Draft]:
    for weight, summary, name, field, _ in _FIELDS:
        yield weight, summary, [_line(old, name, field)], [_line(new, name, field)]
    whole = ("name", "version", "summary", "licence", "notes", "homepage")
    yield "important", "hazel-auth is new", [], [_line(new, "hazel-auth", field) for field in whole]
    yield "important", "reed-stream is gone", [_line(old, "reed-stream", field) for field in whole], []
    yield "important", "advisory for willow-search", [], [_line(new, "willow-search", "advisories")]


def _line(packages: dict[str, Any], name: str, field: str) -> Place:
    at, value = list(packages).index(name), packages[name][field]
    return (f"packages.{at}.{field}.0: {value[0]}" if isinstance(value, list) else f"packages.{at}.{field}: {value}",)


def _entries(drafts: Iterable[_Draft]) -> tuple[Entry, ...]:
    ordered = sorted(drafts, key=lambda one: one[0] != "important")
    return tuple(
        Entry(n, "important" if weight == "important" else "minor", summary, tuple(old), tuple(new))
        for n, (weight, summary, old, new) in enumerate(ordered, 1)
    )


_CLASSES = ("5a", "5b", "6a", "6b", "7a", "7b", "8a", "8b")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_TIMES = ("08:00-08:45", "08:50-09:35", "09:55-10:40", "10:45-11:30", "11:40-12:25", "12:30-13:15")
_SUBJECTS = (
    ("Mathematics", "Ms Oake"), ("English", "Mr Fell"), ("History", "Ms Tarn"), ("Biology", "Mr Glade"), ("Music", "Ms Reed"),
    ("Sports", "Mr Crag"), ("Geography", "Ms Moor"), ("Art", "Mr Dale"), ("French", "Ms Wold"), ("Physics", "Mr Beck"),
    ("Drama", "Ms Holt"),
)  # fmt: skip
_HEAD = ["lesson_id", "class", "weekday", "time", "subject", "teacher", "room", "remark"]


def _lessons() -> dict[str, list[str]]:
    rows = {}
    for c, name in enumerate(_CLASSES):
        for d, day in enumerate(_DAYS):
            for t, time in enumerate(_TIMES[: 4 + (c + d) % 2]):
                subject, teacher = _SUBJECTS[(c * 3 + d * 5 + t * 4) % 11]
                key = f"L{c + 1}{d + 1}{t + 1}"
                remark = {0: "double lesson", 4: "bring own tools", 9: "in half groups"}.get((c + d * 3 + t * 2) % 13, "")
                rows[key] = [key, name, day, time, subject, teacher, f"{1 + c % 3}{(d * 3 + t * 5) % 18 + 1:02}", remark]
    return rows


_CELLS: tuple[tuple[str, str, str, int, str], ...] = (  # weight, summary, lesson, column, new value
    ("important", "5a Monday first lesson has another subject", "L111", 4, "Swimming"),
    ("important", "5b Wednesday third lesson has another teacher", "L233", 5, "Ms Lund"),
    ("important", "6a Tuesday second lesson at noon", "L322", 3, "12:30-13:15"),
    ("important", "7a Friday first lesson on Thursday", "L551", 2, "Thursday"),
    ("important", "7b Monday second lesson elsewhere", "L612", 6, "Annexe 4"),
    ("important", "8a Thursday fourth lesson cancelled", "L744", 7, "cancelled until Easter"),
    ("minor", "8b Friday second lesson has another room", "L852", 6, "118"),
    ("minor", "6b Monday third lesson remark", "L413", 7, "bring a calculator"),
    ("minor", "5a Thursday second lesson remark", "L142", 7, "in the library"),
)  # fmt: skip


def timetable_pair() -> Pair:
    """The timetables of eight classes: another order of rows and columns, other separator, times written otherwise, eleven news."""
    old = _lessons()
    new = {key: list(row) for key, row in old.items()}
    drafts: list[_Draft] = []
    for weight, summary, key, column, value in _CELLS:
        new[key][column] = value
        drafts.append((weight, summary, [(key, old[key][column] or old[key][1])], [(key, value)]))
    del new["L224"]
    drafts.append(("important", "5b Tuesday fourth lesson dropped", [("L224", "5b")], []))
    new["L665"] = ["L665", "7b", "Friday", "11:40-12:25", "Robotics", "Mr Thorne", "Lab 2", "voluntary"]
    drafts.append(("important", "Robotics for 7b new", [], [("L665", "Robotics")]))
    order = [0, 2, 3, 1, 4, 6, 5, 7]
    rows = sorted(new.values(), key=lambda row: (_DAYS.index(row[2]), row[3], row[1]))
    texts = (_csv([_HEAD, *old.values()], ","), _csv([[row[n] for n in order] for row in (_HEAD, *rows)], ";"))
    return Pair("school-timetable", ".csv", texts[0], texts[1], _entries(drafts))


def _csv(rows: Sequence[Sequence[str]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()
