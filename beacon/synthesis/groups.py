"""Statements that say the same: small groups by likeness, joined where they share a topic, then filled with what comes near."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beacon.synthesis.topics import Topics, is_general, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

APART = 0.76  # mean distance within a small group, and
TOPICS_APART = 0.58  # between small groups that are joined
NEAR = 0.36  # mean likeness to its three closest members from which a statement joins a group
CENTRAL = 0.12  # cosine to its group's centre below which a statement that shares its words is about something else
ANCHOR = 0.5  # share of a group's statements that hold a word which stands for it
BY_ITSELF = 0.1  # of the people who use a word, who say it and nothing else, from which it is a topic of its own
ENOUGH_ALONE = 5  # people from which that share no longer matters
ONE_WORD = 0.3  # cosine to its group's centre that a statement needs which shares one word only
BROAD = 0.06  # share of all statements that hold a word, from which it says nothing of what is meant
FEWEST_BROAD = 25  # statements below which no word is that common: in a few interviews the subject is in every sentence
FEWEST_ONE_WORD = 5  # statements of a group that one word holds together, and
HELD_TOGETHER = 0.28  # mean cosine within a core that one word holds together, unless that word is a topic of its own
MOST = 6000  # statements grouped by likeness; of more, the others only join
BLOCK = 2000  # statements compared at once


@dataclass(frozen=True, slots=True)
class Group:
    """Places of the statements that make a theme: `core` was grouped, `near` joined; `anchors` are the words they share."""

    core: tuple[int, ...]
    near: tuple[int, ...]
    anchors: tuple[str, ...]

    @property
    def members(self) -> tuple[int, ...]:
        """All of them, in order."""
        return tuple(sorted({*self.core, *self.near}))


def group_statements(topics: Topics, people: Sequence[str], *, fewest: int) -> list[Group]:
    """Groups of at least `fewest` people, most people first. A statement that names two topics is in two groups."""
    total = len(people)
    if total < 2:
        return []
    grouped = np.arange(min(total, MOST))
    first = _cut(1 - _likeness(topics, grouped, grouped), APART)
    small = [one for one in first if len({people[i] for i in one}) > 1]
    cores = [core for core in _joined(small, topics, people) if len({people[i] for i in core}) >= fewest]
    if not cores:
        return []
    alone = _topics_alone(topics, people)
    filled = [group for group in _fill(cores, topics) if _is_clear(group, topics, alone)]
    ranked = sorted(filled, key=lambda g: (-len({people[i] for i in g.members}), g.members))
    return _distinct(ranked, people, fewest)


def _likeness(topics: Topics, left: "NDArray[np.intp]", right: "NDArray[np.intp]") -> "Matrix":
    """How alike each statement of `left` is to each of `right`: half by meaning, half by words."""
    meaning = np.clip(topics.vectors[left] @ topics.vectors[right].T, 0, 1)
    words: Any = (topics.words[left] @ topics.words[right].T).toarray()
    alike: Matrix = np.clip(0.5 * meaning + 0.5 * words, 0, 1)
    return alike


def _closest(cores: list[list[int]], topics: Topics) -> "Matrix":
    """For each core and statement, the mean likeness to the core's three members that are closest; a block of statements at a time."""
    columns = np.array(sorted({i for core in cores for i in core}))
    at = {int(i): n for n, i in enumerate(columns)}
    places = [[at[i] for i in core] for core in cores]
    found = np.zeros((len(cores), len(topics.heads)))
    for start in range(0, len(topics.heads), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(topics.heads)))
        alike = _likeness(topics, rows, columns)
        for k, core in enumerate(places):
            found[k, rows] = np.sort(alike[:, core], axis=1)[:, -3:].mean(axis=1)
    return found


def _cut(distance: "Matrix", at: float) -> list[list[int]]:
    """Average linkage, cut at a mean distance."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(distance) < 2:
        return [[i] for i in range(len(distance))]
    even = np.clip((distance + distance.T) / 2, 0, 1)
    np.fill_diagonal(even, 0.0)
    labels = fcluster(linkage(squareform(np.round(even, 9), checks=False), "average"), at, "distance")
    found: dict[int, list[int]] = defaultdict(list)
    for i, label in enumerate(labels):
        found[int(label)].append(i)
    return sorted(found.values())


def _joined(small: list[list[int]], topics: Topics, people: Sequence[str]) -> list[list[int]]:
    """Small groups put together where one word, a topic of its own, stands for both, or where their topics are alike."""
    alone = _topics_alone(topics, people)
    by_word: dict[str, list[list[int]]] = defaultdict(list)
    rest: list[list[int]] = []
    for one in small:
        own = [word for word in anchors_of(one, topics) if word in alone]
        if own:
            by_word[max(own, key=lambda w: (topics.count[w], w))].append(one)
        else:
            rest.append(one)
    groups = [sorted(i for one in ones for i in one) for _, ones in sorted(by_word.items())] + rest
    if len(groups) < 2:
        return groups
    centres = unit(np.array([topics.vectors[one].mean(axis=0) for one in groups]))
    shares = unit(np.array([np.asarray(topics.shares[one].mean(axis=0)).ravel() ** 1.5 for one in groups]))
    alike = 0.5 * np.clip(centres @ centres.T, 0, 1) + 0.5 * shares @ shares.T
    return [sorted(i for k in ones for i in groups[k]) for ones in _cut(1 - alike, TOPICS_APART)]


def _topics_alone(topics: Topics, people: Sequence[str]) -> set[str]:
    """Words that people give as a whole answer: they need no other to be a topic."""
    said: dict[str, set[str]] = defaultdict(set)
    alone: dict[str, set[str]] = defaultdict(set)
    for who, words in zip(people, topics.heads, strict=True):
        named = {word for word in words if not is_general(word)}
        for word in named:
            (alone if len(named) == 1 else said)[word].add(who)
    return {
        word
        for word, those in alone.items()
        if len(those) >= ENOUGH_ALONE or (len(those) > 2 and len(those) >= BY_ITSELF * len(those | said[word]))
    }


def anchors_of(members: Sequence[int], topics: Topics) -> list[str]:
    """The words that most of the statements hold and that name a topic, most shared first."""
    held = Counter(word for i in members for word in set(topics.heads[i]) if not is_general(word))
    wanted = max(2, ANCHOR * len(members))
    return [word for word, n in sorted(held.items(), key=lambda pair: (-pair[1], topics.count[pair[0]], pair[0])) if n >= wanted]


def _fill(cores: list[list[int]], topics: Topics) -> list[Group]:
    """Each core with the statements that come near it or hold all of its words."""
    taken = {i for core in cores for i in core}
    closest = _closest(cores, topics)
    centres = unit(np.array([topics.vectors[core].mean(axis=0) for core in cores]))
    central = topics.vectors @ centres.T
    groups = []
    best = closest.argmax(axis=0)
    for k, core in enumerate(cores):
        anchors = anchors_of(core, topics)[:2]
        near = [i for i in range(len(topics.heads)) if i not in taken and best[i] == k and closest[k, i] >= NEAR]
        if anchors:
            wanted, least = set(anchors), CENTRAL if len(anchors) > 1 else ONE_WORD
            near += [i for i, words in enumerate(topics.heads) if wanted <= set(words) and central[i, k] >= least]
        groups.append(Group(tuple(core), tuple(sorted(set(near) - set(core))), tuple(anchors)))
    return groups


def _is_clear(group: Group, topics: Topics, alone: set[str]) -> bool:
    """Whether the group is about something: not about words that stand everywhere, and not one word in unlike sentences."""
    common = max(FEWEST_BROAD, BROAD * len(topics.heads))
    named = [word for word in group.anchors if word in alone or topics.count[word] < common]
    if not named:
        return False
    if len(group.anchors) > 1 or named[0] in alone:
        return True
    if len(group.members) < FEWEST_ONE_WORD:
        return False
    rows = topics.vectors[list(group.core)]
    total = rows.sum(axis=0)
    n = len(rows)
    return bool((total @ total - n) / (n * (n - 1)) >= HELD_TOGETHER)


def _distinct(ranked: list[Group], people: Sequence[str], fewest: int) -> list[Group]:
    """Without groups that say little that a larger one does not."""
    kept: list[Group] = []
    for group in ranked:
        own = (
            {people[i] for i in group.members}
            if not kept
            else {people[i] for i in group.members if not any(i in set(g.members) for g in kept)}
        )
        if len(own) >= fewest:
            kept.append(group)
    return kept
