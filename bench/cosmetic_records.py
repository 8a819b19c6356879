# ruff: noqa: E501  prose stands as it is
"""Records of our own for measuring comparison: a life-cycle table, a survey and an advisory, built from short lists."""

import json
from itertools import product

from bench.cosmetic_documents import Sample

_FAMILIES = ("Corvid", "Dunlin", "Egret", "Fulmar", "Gannet", "Heron", "Ibis", "Jacana")
_MODELS = ("Base", "Plus", "Cluster")
_PLANS = ("standard", "extended", "security fixes only")


def _life_rows() -> list[str]:
    rows = []
    for n, (family, model) in enumerate(product(_FAMILIES, _MODELS)):
        year, month = 2019 + n % 5, 1 + (n * 5) % 12
        ends = f"{year + 5}-{month:02}-28"
        rows.append(f"| {family} {model} | {1 + n % 4}.{n % 7} | {year}-{month:02}-15 | {ends} | {_PLANS[n % 3]} | {1000 + 150 * n:,} |")
    return rows


LIFE_CYCLE = Sample(
    "life-cycle",
    "\n".join(
        [
            "# Life cycle of the shelf product line",
            "",
            "The table lists when each product was released and when its support ends. After that date no fixes are made. "
            "Customers with an extended contract receive fixes for another 12 months.",
            "",
            "| Product | Version | Released | Support ends | Plan | Licences sold |",
            "| --- | --- | --- | --- | --- | --- |",
            *_life_rows(),
            "",
            "Products that are not in the table are supported without an end date. The table is checked once a quarter by the product office. "
            "A product is named again when its plan changes. Renewals can be ordered until 60 days after the end of support.",
            "",
        ]
    ),
    (
        ("changed", "| Dunlin Plus | 1.4 | 2023-09-15 | 2028-09-28 |", "| Dunlin Plus | 1.4 | 2023-09-15 | 2027-03-31 |", "Dunlin Plus", "Dunlin Plus"),
        ("changed", "| Gannet Base | 1.5 |", "| Gannet Base | 1.8 |", "Gannet Base", "Gannet Base"),
        ("changed", "| security fixes only | 2,650 |", "| extended | 2,650 |", "Fulmar Cluster", "Fulmar Cluster"),
        ("dropped", "| Heron Base | 4.1 | 2019-04-15 | 2024-04-28 | standard | 3,250 |\n", "", "Heron Base", ""),
    ),
)  # fmt: skip

_ROLES = ("nurse", "physiotherapist", "receptionist", "pharmacist", "ward clerk")
_WISHES = (
    "The rota should be known at least three weeks ahead",
    "Handover takes longer than it should because two systems hold the same notes",
    "I would use the quiet room if it were not on another floor",
    "New colleagues need a named person to ask during their first month",
    "The labels printed on the ward fade within a few days",
    "Patients ask about parking more often than about anything else",
    "The search in the records finds surnames only",
    "Breaks are skipped whenever two people are ill at once",
)
_GRADES = ("very important", "important", "nice to have")


def _survey_rows() -> list[str]:
    return [
        f"| R{n + 101} | {_ROLES[n % 5]} | {_WISHES[n % 8]}, as answer {n + 1} put it. | {_GRADES[n % 3]} | {n % 9 + 1} |"
        for n in range(24)
    ]


SURVEY = Sample(
    "ward-survey",
    "\n".join(["# Staff survey", "", "| id | role | wish | weight | years |", "| --- | --- | --- | --- | --- |", *_survey_rows(), ""]),
    (
        ("changed", "Handover takes longer than it should because two systems hold the same notes, as answer 2 put it. | important |", "Handover takes longer than it should because two systems hold the same notes, as answer 2 put it. | nice to have |", "R102", "R102"),
        ("changed", "| R107 | physiotherapist |", "| R107 | pharmacist |", "R107", "R107"),
        ("dropped", "| R115 | ward clerk | The search in the records finds surnames only, as answer 15 put it. | nice to have | 6 |\n", "", "R115", ""),
    ),
)  # fmt: skip


def _product(name: str, version: str, status: str) -> dict[str, object]:
    return {
        "name": name,
        "affected": f"<= {version}",
        "status": status,
        "platform": f"{name} runs on the {name.split()[-1].lower()} platform",
    }


_ADVISORY = {
    "document": {
        "title": "Improper check of signatures in Orlo controllers",
        "category": "security advisory",
        "publisher": {"name": "Orlo product security", "contact": "https://orlo.example.com/security"},
        "released": "2026-03-18",
        "summary": (
            "The update service of Orlo controllers accepts packages with a signature that was made for another model. An attacker on the "
            "same network can install such a package and stop the controller. About 9,000 controllers are in use."
        ),
    },
    "products": [
        _product("Orlo Pump", "V2.5", "fix available"),
        _product("Orlo Valve", "V3.0", "fix available"),
        _product("Orlo Mixer", "V1.8", "under investigation"),
        _product("Orlo Boiler", "V6.2", "no fix planned"),
        _product("Orlo Dryer", "V4.4", "fix available"),
        _product("Orlo Crane", "V5.1", "not affected"),
    ],
    "flaws": [
        {"key": "ORLO-7", "score": 8.1, "vector": "network", "text": "The model is not part of what the signature covers."},
        {"key": "ORLO-8", "score": 5.3, "vector": "local", "text": "The service writes session keys to its log."},
    ],
    "remedies": [
        {"for": "all models with a fix", "text": "Install the fixed release within 14 days and restart the controller."},
        {"for": "models without a fix", "text": "Disconnect the update service and load packages by hand."},
        {"for": "operators", "text": "Limit access to port 8883 to known addresses. Check logs for unknown packages once a week."},
    ],
    "notes": [
        "The flaw was reported by a customer during acceptance tests.",
        "No attack is known at the time of writing.",
        "Controllers that are not connected to a network are not at risk.",
        "A fix that was announced earlier for the boiler line will not be made, since its hardware cannot hold the longer keys.",
        "Spare parts delivered after the release date contain the fixed firmware.",
        "The next advisory is published when the investigation of the mixer line is finished.",
    ],
}  # fmt: skip

ADVISORY = Sample(
    "controller-advisory",
    json.dumps(_ADVISORY, ensure_ascii=False),
    (
        ("changed", '"affected": "<= V1.8", "status": "under investigation"', '"affected": "<= V1.8", "status": "fix available on request"', "under investigation", "available on request"),
        ("changed", '"score": 8.1', '"score": 9.6', "score: 8.1", "score: 9.6"),
        ("changed", "within 14 days and restart", "within 3 days and restart", "Install the fixed release", "Install the fixed release"),
        ("changed", "No attack is known at the time of writing.", "Two attacks are known at the time of writing.", "at the time of writing", "at the time of writing"),
    ),
)  # fmt: skip
