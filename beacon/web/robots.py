"""What a host's robots.txt lets a reader do (RFC 9309)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

MAX_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB are to be read
MAX_DELAY_S = 10.0  # of a Crawl-delay: a host that wants more waits for its turn less often, not longer


@dataclass(frozen=True, slots=True)
class Rule:
    """A path pattern and whether it allows; `*` stands for anything, `$` for the end."""

    pattern: str
    allows: bool

    def matches(self, path: str) -> bool:
        anchored = self.pattern.endswith("$")
        parts = (re.escape(part) for part in self.pattern.removesuffix("$").split("*"))
        return re.match(".*".join(parts) + ("$" if anchored else ""), path) is not None


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one host for one reader."""

    rules: Sequence[Rule] = ()
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether `url` may be read: the longest pattern decides, and of two as long the one that allows."""
        parts = urlsplit(url)
        path = _normal((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        if path == "/robots.txt":
            return True
        found = [rule for rule in self.rules if rule.matches(path)]
        return max(found, key=lambda rule: (len(rule.pattern), rule.allows)).allows if found else True


@dataclass(slots=True)
class _Group:
    agents: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    delay_s: float = 0.0
    begun: bool = False  # a rule was read, so another User-agent line begins a new group


def read_robots(data: bytes, agent: str) -> Robots:
    """The rules for the product token `agent`: those of the groups that name it, else those for everybody."""
    groups, sitemaps = _groups(data[:MAX_BYTES].decode("utf-8-sig", "replace"))
    token = agent.lower()
    mine = [group for group in groups if token in group.agents] or [group for group in groups if "*" in group.agents]
    rules = tuple(rule for group in mine for rule in group.rules)
    return Robots(rules, min(max((group.delay_s for group in mine), default=0.0), MAX_DELAY_S), tuple(sitemaps))


def _groups(text: str) -> tuple[list[_Group], list[str]]:
    groups: list[_Group] = []
    sitemaps: list[str] = []
    for line in text.splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "sitemap":
            sitemaps.append(value)
        elif name == "user-agent":
            if not groups or groups[-1].begun:
                groups.append(_Group())
            groups[-1].agents.append(value.partition("/")[0].strip().lower())
        elif groups:
            _take(groups[-1], name, value)
    return groups, sitemaps


def _take(group: _Group, name: str, value: str) -> None:
    if name in ("allow", "disallow"):
        group.begun = True
        if value:
            group.rules.append(Rule(_normal(value), name == "allow"))
    elif name == "crawl-delay":
        group.begun = True
        if re.fullmatch(r"\d+(?:\.\d+)?", value):
            group.delay_s = float(value)


def _normal(path: str) -> str:
    """The path with its escapes written in one way, so that /é and /%C3%A9 are the same."""
    return quote(unquote(path), safe="/*$?&=:@!'(),;+~-._%")
