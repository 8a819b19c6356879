"""The documents that are kept with every version: four about the user and the company, and Beacon's own directives."""

import re
from collections.abc import Mapping

from beacon.analyst.tokens import fold
from beacon.errors import InputError
from beacon.workspace import Workspace

NAMESPACES: Mapping[str, str] = {
    "user_profile": "profile",
    "company_profile": "profile",
    "user_preferences": "preferences",
    "episodic_memory": "episodes",
}
DIRECTIVES = "directives"  # one a workspace, whoever reads it
DOCUMENTS: Mapping[str, str] = {**NAMESPACES, DIRECTIVES: "directives"}
DEFAULTS: Mapping[str, str] = {
    "user_profile": "Nothing is known about the user yet: name, role, way of working and projects are noted as they come up.\n",
    "company_profile": "Nothing is known about the company yet: name, industry, priorities and vocabulary are noted as they come up.\n",
    "user_preferences": (
        "No preferences were stated yet; until then these hold:\n"
        "- Report format: Markdown\n- Verbosity: medium\n"
        "- Frameworks: SWOT, Porter's Five Forces\n- Citation style: inline source references\n"
    ),
    "episodic_memory": "Nothing has happened yet: discoveries, dates and what they were about are noted here in order.\n",
}
FIRST_DIRECTIVES = (
    "- Name: Beacon\n"
    "- Values: evidence before opinion; every claim with its source; what is not known is called not known\n"
    "- Tone: calm, plain and exact; no flattery, no alarm\n"
)
_NO_LETTER = re.compile(r"[\W_]+")


def line_key(text: str) -> str:
    """The letters and digits of a line, in one case: what makes two lines of a document the same. Cheap: a document may be long."""
    return _NO_LETTER.sub("", fold(text))


# The lines that only say that nothing is known: they go when something is.
PLACEHOLDERS = frozenset(line_key(DEFAULTS[namespace].splitlines()[0]) for namespace in NAMESPACES)


def check_namespace(namespace: str) -> str:
    """The name of a document. Raises InputError."""
    if namespace not in DOCUMENTS:
        raise InputError(f"There is no document '{namespace}': they are {', '.join(DOCUMENTS)}.", namespace=namespace)
    return namespace


def default_of(namespace: str) -> str:
    """What a document says before anybody wrote in it."""
    return DEFAULTS.get(namespace, FIRST_DIRECTIVES)


def owner_of(ws: Workspace, namespace: str) -> str:
    """Whose document it is: the user's, or nobody's own where everyone in the workspace shares it."""
    return "" if namespace == DIRECTIVES else ws.user_id


_DEFAULT_LINES = frozenset(line_key(line) for text in DEFAULTS.values() for line in text.splitlines())


def stated(content: str) -> str:
    """A document without the lines that stood in it before anybody said anything: defaults nobody asked for."""
    return "\n".join(line for line in content.splitlines() if line_key(line) not in _DEFAULT_LINES).strip()


def known_statements(namespace: str, content: str) -> list[str]:
    """The lines of a document that say something: without bullets, headings' signs, and what stands there while nothing is known."""
    lines = (line.strip().lstrip("-*+•# ").strip() for line in content.splitlines())
    return [line for line in lines if line and line_key(line) not in PLACEHOLDERS]
