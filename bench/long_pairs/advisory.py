"""A security advisory in the shape of CSAF 2.0: a product tree, two dozen vulnerabilities, and an update of them."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from bench.long_pairs.build import Entry, Pair, Place

Vulnerability = dict[str, Any]
_FAULTS = [
    ("CWE-787", "Out-of-bounds Write", "a crafted frame writes past the end of a buffer in the packet parser"),
    ("CWE-79", "Cross-site Scripting", "a name shown on the status page is not escaped"),
    ("CWE-306", "Missing Authentication", "the maintenance port answers without a password"),
    ("CWE-400", "Uncontrolled Resource Consumption", "many half-open sessions use up the memory of the controller"),
    ("CWE-22", "Path Traversal", "a file name in an update archive may point outside its folder"),
    ("CWE-798", "Hard-coded Credentials", "the test account of the factory was not removed"),
]
_ATTACKER = "An attacker on the same network needs {} account."
_PRODUCTS = ["FC", "FG", "FR", "FS", "FT", "FV"]


def advisory_pair() -> Pair:
    """The advisory before and after its update; the new vulnerability stands first, so that every place in the list moves."""
    random = Random("advisory")
    old = [_vulnerability(n, random) for n in range(24)]
    new = copy.deepcopy(old)
    edits = _edits(new)
    added = _vulnerability(60, random)
    final = [added, *(one for one in new if one["cve"] != old[15]["cve"])]
    for one in final:
        for ids in one["product_status"].values():
            ids.sort(reverse=True)
    sides = [_document(old, 0), _document(final, 1)]
    lines = [_lines(old), _lines(final)]
    entries = [
        Entry(n, weight, f"{old[at]['cve']}: {summary}", *_differing(lines[0][old[at]["cve"]], lines[1][old[at]["cve"]]))
        for n, weight, at, summary in edits
    ]
    name, gone = added["cve"], old[15]["cve"]
    entries.append(Entry(2, "important", f"{name} added, score 9.1", (), tuple((line,) for line in lines[1][name])))
    entries.append(Entry(9, "important", f"{gone} taken out: not in this product", tuple((line,) for line in lines[0][gone]), ()))
    texts = [json.dumps(side, indent=2, ensure_ascii=False) + "\n" for side in sides]
    return Pair("csaf-advisory", ".json", texts[0], texts[1], tuple(sorted(entries, key=lambda one: one.n)))


def _vulnerability(n: int, random: Random) -> Vulnerability:
    cwe, name, cause = _FAULTS[n % 6]
    score = 9.1 if n == 60 else random.randint(40, 78) / 10
    affected = random.sample([f"{p}-{v}" for p in _PRODUCTS for v in (10, 20, 30)], 5)
    return {
        "cve": f"CVE-2031-{41000 + n * 17}",
        "cwe": {"id": cwe, "name": name},
        "title": f"{name} in component {n + 1}",
        "notes": [
            {"category": "description", "text": f"In component {n + 1} {cause}. {_ATTACKER.format(random.choice(['no', 'a user']))}"},
            {"category": "details", "text": f"The fault was found in a review of component {n + 1} and no use of it in attacks is known."},
        ],
        "product_status": {"known_affected": affected[:3], "fixed": affected[3:4], "under_investigation": affected[4:]},
        "remediations": [
            {
                "category": "vendor_fix",
                "details": f"Update to version {random.randint(3, 6)}.{random.randint(0, 9)}.{n} or later",
                "product_ids": affected[:2],
            },
            {
                "category": "workaround",
                "details": f"Close port {2000 + n} on the firewall in front of the device",
                "product_ids": affected[:3],
            },
        ],
        "scores": [{"cvss_v3": _cvss(score), "products": affected[:3]}],
    }


def _cvss(score: float) -> dict[str, Any]:
    severity = "CRITICAL" if score >= 9 else "HIGH" if score >= 7 else "MEDIUM"
    vector = (
        f"CVSS:3.1/AV:{'N' if score >= 7 else 'A'}/AC:L/PR:{'N' if score > 5.5 else 'L'}/UI:N/S:U/C:H/I:{'H' if score > 8 else 'L'}/A:L"
    )
    return {"version": "3.1", "vectorString": vector, "baseScore": score, "baseSeverity": severity}


def _edits(new: list[Vulnerability]) -> list[tuple[int, Any, int, str]]:
    """Changes the vulnerabilities in place; (place in the changelog, weight, index, summary)."""

    def score(at: int, value: float) -> None:
        new[at]["scores"][0]["cvss_v3"] = _cvss(value)

    def fix(at: int, words: str) -> None:
        new[at]["remediations"][0]["details"] = words

    def move(at: int, source: str, target: str) -> None:
        status = new[at]["product_status"]
        status.setdefault(target, []).append(status[source].pop(0))

    score(2, 9.8)
    fix(2, "Update to version 7.1.0 or later")
    new[5]["notes"][1]["text"] = "The fault is used in attacks since March 2031."
    move(7, "under_investigation", "known_affected")
    fix(8, "No fix is planned; replace the device")
    new[8]["remediations"][0]["category"] = "no_fix_planned"
    move(11, "known_affected", "fixed")
    score(13, 3.9)
    del new[17]["remediations"][1]
    score(18, 8.8)
    fix(20, "Update to version 9.0.3 or later")
    new[21]["remediations"].append({"category": "mitigation", "details": "Turn off remote logging", "product_ids": ["FV-30"]})
    move(22, "known_affected", "known_not_affected")
    new[3]["cwe"] = {"id": "CWE-125", "name": "Out-of-bounds Read"}
    new[6]["notes"][0]["text"] = new[6]["notes"][0]["text"].replace("on the same network", "on any network")
    return [
        (1, "important", 2, "score 9.8, fixed in 7.1.0"),
        (3, "important", 5, "used in attacks"),
        (4, "important", 8, "no fix planned"),
        (5, "important", 7, "another product is affected"),
        (6, "important", 18, "score 8.8"),
        (7, "important", 6, "open to attackers on any network"),
        (8, "important", 11, "a product is fixed"),
        (10, "important", 20, "fixed in 9.0.3"),
        (11, "important", 22, "a product is not affected after all"),
        (12, "important", 13, "score lowered to 3.9"),
        (13, "important", 17, "workaround withdrawn"),
        (14, "minor", 21, "mitigation added"),
        (15, "minor", 3, "classified as CWE-125"),
    ]


def _document(vulnerabilities: list[Vulnerability], side: int) -> dict[str, Any]:
    dates = ["2031-02-11T09:00:00.000Z", "2031-05-20T09:00:00.000Z"]
    summaries = ["Initial release", "Several scores, fixes and products brought up to date"]
    branches = [
        {
            "category": "product_name",
            "name": f"Fennox {p}",
            "branches": [
                {
                    "category": "product_version_range",
                    "name": (f"<= V{v // 10}.0", f"V{v // 10}.0 and earlier")[side],
                    "product": {"product_id": f"{p}-{v}", "name": f"Fennox {p} V{v // 10}"},
                }
                for v in (10, 20, 30)
            ],
        }
        for p in (_PRODUCTS if side == 0 else sorted(_PRODUCTS, reverse=True))
    ]
    return {
        "document": {
            "category": "csaf_security_advisory",
            "csaf_version": "2.0",
            "title": ("Multiple vulnerabilities in Fennox devices", "Several vulnerabilities in Fennox devices")[side],
            "publisher": {"category": "vendor", "name": "Fennox", "namespace": "https://fennox.example"},
            "notes": [
                {"category": "legal_disclaimer", "text": "This advisory is given as is and may be changed at any time."},
                {"category": "general", "text": ("Keep devices behind a firewall.", "Devices should be kept behind a firewall.")[side]},
            ],
            "tracking": {
                "id": "FXA-2031-004",
                "status": "final",
                "version": str(side + 1),
                "initial_release_date": dates[0],
                "current_release_date": dates[side],
                "generator": {"date": dates[side], "engine": {"name": "advisory writer", "version": ("1.4.0", "1.6.2")[side]}},
                "revision_history": [{"number": str(n + 1), "date": dates[n], "summary": summaries[n]} for n in range(side + 1)],
            },
        },
        "product_tree": {"branches": [{"category": "vendor", "name": "Fennox", "branches": branches}]},
        "vulnerabilities": vulnerabilities,
    }


def _lines(vulnerabilities: list[Vulnerability]) -> dict[str, list[str]]:
    """CVE → its fields as `path: value` lines."""
    return {
        one["cve"]: [f"vulnerabilities.{at}.{path}: {value}" for path, value in _leaves(one, ())] for at, one in enumerate(vulnerabilities)
    }


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list):
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from _leaves(inner, (*path, str(key)))
    else:
        yield ".".join(path), str(value)


def _differing(old: list[str], new: list[str]) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """The lines each side has and the other lacks, whatever place in a list they have."""
    bare: Callable[[str], str] = lambda line: _without_places(line)  # noqa: E731
    there = [Counter(map(bare, side)) for side in (old, new)]
    return tuple((line,) for line in old if not there[1][bare(line)]), tuple((line,) for line in new if not there[0][bare(line)])


def _without_places(line: str) -> str:
    path, _, value = line.partition(": ")
    return ".".join(part for part in path.split(".") if not part.isdigit()) + ": " + value
