"""Themes and opportunities worked out from evidence: a pure function, so that the same evidence gives the same findings."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from beacon.synthesis.actions import make_action
from beacon.synthesis.evidence import Evidence, Statement
from beacon.synthesis.groups import BROAD, Group, group_statements
from beacon.synthesis.scoring import Base, build_base, people_of, score_parts
from beacon.synthesis.titles import Candidate, choose_title, word_weights
from beacon.synthesis.topics import Topics, read_topics, topic_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beacon.llm.ports import Embedder

MOST_THEMES = 40
MOST_AGAINST = 12  # quotes against a theme that are kept
AGAINST = 0.34  # cosine to a theme's centre from which praise that shares its words speaks against it
CLOSE = 0.55  # cosine from which one statement stands for another
TELLING_WORDS = (5, 40)  # words of a quote that is shown first
MANY_VOICES = 30  # people from which a theme needs three of them; below, two
VOICES = {"customer": 0, "unknown": 1, "observer": 2}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a synthesis came to: themes and opportunities as bodies, best first, without ids."""

    themes: list[dict[str, Any]] = field(default_factory=list)
    opportunities: list[dict[str, Any]] = field(default_factory=list)
    base: Base = field(default_factory=lambda: Base(0, 0, 0))


def quote_json(one: Statement) -> dict[str, Any]:
    """A statement as themes keep it: the printed fields of a quote, and what scores are reckoned from."""
    return {
        "chunk_id": one.chunk_id,
        "source_id": one.source_id,
        "version_id": one.version_id,
        "quote": one.text,
        "url": one.url,
        "title": one.title,
        "start": one.start,
        "end": one.end,
        "voice": one.voice,
        "participant": one.participant,
        "person": one.person,
        "segment": one.segment,
        "at": one.at.isoformat(),
        "tone": one.tone,
        "severity": round(one.severity, 3),
        "wave": one.wave,
    }


def find_all(evidence: Evidence, embedder: "Embedder", state: Mapping[str, Any]) -> Findings:
    """The themes of the evidence, and the opportunities they suggest."""
    needs = [one for one in evidence.statements if one.tone != "praise"]
    praise = [one for one in evidence.statements if one.tone == "praise"]
    themes = _themes(needs, praise, embedder)
    everything = [quote_json(one) for one in evidence.statements]
    base = build_base([theme["quotes"] for theme in themes if theme["tone"] != "praise"], everything)
    fits = _fits(themes, embedder, state)
    for theme, fit in zip(themes, fits, strict=True):
        theme["score"], theme["parts"] = score_parts(theme["quotes"], theme["contradicting"], base, fit)
        theme["fit"] = fit
    themes.sort(key=lambda theme: (theme["tone"] == "praise", -len(people_of(theme["quotes"])), -theme["score"], theme["title"]))
    return Findings(themes, _opportunities(themes, base), base)


def _themes(needs: Sequence[Statement], praise: Sequence[Statement], embedder: "Embedder") -> list[dict[str, Any]]:
    taken: set[str] = set()
    both = [*needs, *praise]
    topics = read_topics(both, embedder)
    known = Counter(word for one in both for word in set(topic_words(one.text)))
    places = list(range(len(needs))), list(range(len(needs), len(both)))
    found: list[dict[str, Any]] = []
    for side, kind in zip(places, ("need", "praise"), strict=True):
        own = _part(topics, side)
        statements = [both[i] for i in side]
        people = [one.person or one.source_id for one in statements]
        fewest = 3 if len(set(people)) >= MANY_VOICES else 2
        for group in group_statements(own, people, fewest=fewest)[: MOST_THEMES if kind == "need" else MOST_THEMES // 4]:
            against = _against(group, own, praise, _part(topics, places[1])) if kind == "need" else []
            theme = _theme(group, statements, own, known, frozenset(taken), against)
            taken.add(theme["title"].casefold())
            found.append(theme | {"tone": kind})
    return found


def _part(topics: Topics, places: Sequence[int]) -> Topics:
    """The topics of some of the statements."""
    chosen = list(places)
    heads = tuple(topics.heads[i] for i in chosen)
    count = Counter(word for words in heads for word in set(words))
    return Topics(heads, count, topics.vectors[chosen], topics.words[chosen], topics.shares[chosen])


def _theme(
    group: Group, statements: Sequence[Statement], topics: Topics, known: Mapping[str, int], taken: frozenset[str], against: list[Statement]
) -> dict[str, Any]:
    members = list(group.members)
    rows = topics.vectors[members]
    centre = topics.vectors[list(group.core)].mean(axis=0)
    centre = centre / max(float(np.linalg.norm(centre)), 1e-9)
    central = {i: round(max(0.0, float(row @ centre)), 9) for i, row in zip(members, rows, strict=True)}
    support = _support(rows)
    candidates = [
        Candidate(s.text, central[i], s.tone, s.question, support[n]) for n, (i, s) in enumerate((i, statements[i]) for i in members)
    ]
    weights = word_weights([statements[i].text for i in members])
    ordered = sorted(members, key=lambda i: (_rank(statements[i]), -central[i], statements[i].id))
    quotes = [quote_json(statements[i]) for i in ordered]
    return {
        "title": choose_title(candidates, group.anchors, weights, known=known, taken=taken),
        "about": list(group.anchors),
        "quotes": quotes,
        "contradicting": [quote_json(one) for one in against],
    } | describe(quotes, against=[quote_json(one) for one in against])


def _support(rows: "NDArray[np.float64]") -> list[float]:
    """For each row, how many others are close to it, beside the row with most."""
    close = (rows @ rows.T >= CLOSE).sum(axis=1) - 1
    return [float(n) / max(1, int(close.max())) for n in close]


def _rank(one: Statement) -> tuple[int, bool]:
    """Customers' words first, and of them those that say enough to be read by themselves."""
    return VOICES.get(one.voice, 3), not TELLING_WORDS[0] <= len(one.text.split()) <= TELLING_WORDS[1]


def describe(quotes: Sequence[Mapping[str, Any]], against: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is counted of a theme's quotes: who says it, where they come from, and a sentence that says so."""
    named = {str(quote["person"]): quote for quote in quotes if quote.get("person")}
    unnamed = {str(quote["source_id"]) for quote in quotes if not quote.get("person")}
    labels = Counter(str(quote["participant"]) for quote in named.values())
    participants = sorted(
        str(quote["participant"])
        if labels[str(quote["participant"])] == 1
        else f"{quote['participant']} ({quote.get('wave') or quote['title']})"
        for quote in named.values()
    )
    pains = sum(1 for quote in quotes if quote["tone"] == "pain")
    wishes = sum(1 for quote in quotes if quote["tone"] == "wish")
    who = [f"{len(named)} {'people' if len(named) != 1 else 'person'}"] if named else []
    who += (
        [f"{len(unnamed)} {'documents' if len(unnamed) != 1 else 'document'} that {'name' if len(unnamed) != 1 else 'names'} nobody"]
        if unnamed
        else []
    )
    says = [
        text
        for n, text in (
            (pains, f"{pains} complaints"),
            (wishes, f"{wishes} wishes"),
            (len(people_of(against)), f"{len(people_of(against))} who say otherwise"),
        )
        if n
    ]
    return {
        "participants": participants,
        "people": len(named),
        "documents": len(unnamed),
        "segments": sorted({str(quote["segment"]) for quote in quotes if quote.get("segment")}),
        "summary": f"{' and '.join(who)}{': ' + ', '.join(says) if says else ''}.",
    }


def _against(group: Group, topics: Topics, praise: Sequence[Statement], praised: Topics) -> list[Statement]:
    """Praise of what the theme complains of."""
    centre = topics.vectors[list(group.core)].mean(axis=0)
    centre = centre / max(float(np.linalg.norm(centre)), 1e-9)
    near = praised.vectors @ centre
    wanted = set(group.anchors)
    found = [i for i, words in enumerate(praised.heads) if wanted and wanted <= set(words) and near[i] >= AGAINST]
    return [praise[i] for i in sorted(found, key=lambda i: (-round(float(near[i]), 9), praise[i].id))[:MOST_AGAINST]]


def state_texts(state: Mapping[str, Any]) -> list[str]:
    """What the project's state says, statement by statement."""
    found: list[str] = []
    for value in state.values():
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += state_texts(value)
        elif isinstance(value, list):
            found += [
                text
                for item in value
                for text in ([item] if isinstance(item, str) else state_texts(item) if isinstance(item, dict) else [])
            ]
    return [text for text in found if text.strip()]


def _fits(themes: Sequence[Mapping[str, Any]], embedder: "Embedder", state: Mapping[str, Any]) -> list[float | None]:
    """How close each theme is to what the project is after; None where nobody said what that is."""
    texts = state_texts(state)
    if not texts or not themes:
        return [None] * len(themes)
    wanted = np.asarray(embedder.embed([" ".join(topic_words(text)) or text for text in texts]), dtype=np.float64)
    said = np.asarray(embedder.embed([" ".join([*topic_words(str(t["title"])), *t["about"]]) for t in themes]), dtype=np.float64)
    return [round(float(np.clip(row.max(), 0, 1)), 4) for row in said @ wanted.T]


def _opportunities(themes: Sequence[dict[str, Any]], base: Base) -> list[dict[str, Any]]:
    """One for each theme that is a need, or for several about one thing; best first."""
    needs = [n for n, theme in enumerate(themes) if theme["tone"] != "praise"]
    found = []
    for members in _related([themes[n] for n in needs]):
        found.append(build_opportunity([needs[k] for k in members], themes, base))
    return sorted(found, key=lambda one: (-one["score"], one["title"]))


def _related(themes: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Themes that share a word which stands for both and is no word of everything."""
    held = Counter(word for theme in themes for word in theme["about"])
    common = {word for word, n in held.items() if n > max(3, BROAD * len(themes) * 2)}
    groups: list[list[int]] = []
    by_word: dict[str, int] = {}
    for n, theme in enumerate(themes):
        shared = next((by_word[word] for word in theme["about"] if word not in common and word in by_word), None)
        if shared is None:
            shared = len(groups)
            groups.append([])
        groups[shared].append(n)
        for word in theme["about"][:1]:
            by_word.setdefault(word, shared)
    return groups


def build_opportunity(members: Sequence[int], themes: Sequence[Mapping[str, Any]], base: Base) -> dict[str, Any]:
    """An opportunity over themes, known by their places."""
    chosen = [themes[n] for n in members]
    quotes = merge_quotes([theme["quotes"] for theme in chosen])
    against = merge_quotes([theme["contradicting"] for theme in chosen])
    fits = [theme["fit"] for theme in chosen if theme.get("fit") is not None]
    score, parts = score_parts(quotes, against, base, max(fits) if fits else None)
    lead = max(chosen, key=lambda theme: (len(people_of(theme["quotes"])), theme["title"]))
    return {
        "title": make_action(str(lead["title"])),
        "themes": list(members),
        "score": score,
        "parts": parts,
        "quotes": quotes,
        "contradicting": against,
        "fit": max(fits) if fits else None,
    } | describe(quotes, against)


def merge_quotes(lists: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The quotes of several lists, each once, turn by turn so that every list shows early."""
    seen: dict[tuple[str, int], dict[str, Any]] = {}
    by_turn: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for one in lists:
        for n, quote in enumerate(one):
            by_turn[n].append(quote)
    for n in sorted(by_turn):
        for quote in by_turn[n]:
            seen.setdefault((str(quote["version_id"]), int(quote["start"])), dict(quote))
    return list(seen.values())
