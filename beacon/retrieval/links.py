"""Entities, the sentences they share, and the passages they stand in: what leads from a question to passages it does not name.

After LinearRAG (Zhuang et al. 2025, arXiv 2510.10114) and HippoRAG 2 (Gutiérrez et al. 2025, arXiv 2502.14802), made anew: no model
extracts anything. Seeds are the question's names; scores flow from entity to entity through the sentences that fit the question
best; personalised PageRank over entities and passages ranks the passages.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from beacon.analyst.tokens import STOP_WORDS, tokenize
from beacon.retrieval.passages import Ints, Passages
from beacon.stores.records.store import Tx

if TYPE_CHECKING:
    from scipy import sparse

TITLE_TIMES = 15.0  # as if a passage under a title named it so often
LONGEST_NAME = 10  # words
_ASIDE = re.compile(r"\s*[(\[（].*?[)\]）]\s*$")


@dataclass(eq=False)
class Links:
    """The graph as numbers. A node is an entity or a title; `node_of` knows them by every name they go by."""

    state: tuple[int, int]
    node_of: dict[str, int]
    titled: npt.NDArray[np.bool_]  # nodes that are the title of a document
    at_node: Ints  # of each mention, ordered by node
    at_passage: Ints
    start: Ints  # in the passage's text
    weights: "sparse.csr_matrix"  # node x passage: log(1 + times)
    frequency: Ints  # passages a node stands in
    leading: npt.NDArray[np.bool_]  # passages that name the title of another document

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self.frequency)

    @cached_property
    def names(self) -> dict[int, str]:
        """node → the first name it is known by, folded."""
        found: dict[int, str] = {}
        for name, node in self.node_of.items():
            found.setdefault(node, name)
        return found

    def mentions_of(self, node: int) -> tuple[Ints, Ints]:
        """(passages, starts) of the node's mentions."""
        low, high = np.searchsorted(self.at_node, [node, node + 1])
        return self.at_passage[low:high], self.start[low:high]

    def passages_of(self, node: int) -> Ints:
        """The passages the node stands in, its own document's included."""
        found: Ints = self.weights.indices[self.weights.indptr[node] : self.weights.indptr[node + 1]]
        return found


def name_key(name: str) -> str:
    """What spellings of a name share: case, marks, an article before it."""
    words = tokenize(name)
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def load_links(tx: Tx, project_id: str, passages: Passages) -> Links:
    """The graph of a project, read from the records."""
    node_of, node_by_id = _named(tx, project_id)
    title_nodes, title_passages = _titles(passages, node_of)
    nodes, at, starts = _mentions(tx, project_id, passages, node_by_id)
    count = max(node_of.values(), default=-1) + 1
    titled = np.zeros(count, dtype=np.bool_)
    titled[title_nodes] = True
    weights = _weights(nodes, at, title_nodes, title_passages, (count, passages.count))
    frequency = np.diff(weights.indptr).astype(np.int32)
    leading = _leading(passages, nodes, at, title_nodes, title_passages)
    return Links(passages.state, node_of, titled, nodes, at, starts, weights, frequency, leading)


def _named(tx: Tx, project_id: str) -> tuple[dict[str, int], dict[str, int]]:
    """name → node, entity id → node. Names come before aliases, and an alias of two entities stands for neither."""
    rows = [(str(key), str(name), tuple(aliases)) for key, name, aliases in tx.postings.entities(project_id)]
    node_of: dict[str, int] = {}
    node_by_id: dict[str, int] = {}
    for key, name, _ in rows:
        spelled = name_key(name)
        node_by_id[key] = node_of.setdefault(spelled, len(node_of)) if spelled else -1
    also: dict[str, set[int]] = {}
    for key, _, aliases in rows:
        for alias in aliases:
            spelled = name_key(str(alias))
            if spelled and spelled not in node_of:
                also.setdefault(spelled, set()).add(node_by_id[key])
    node_of |= {spelled: found.pop() for spelled, found in also.items() if len(found) == 1}
    return node_of, {key: node for key, node in node_by_id.items() if node >= 0}


def _titles(passages: Passages, node_of: dict[str, int]) -> tuple[Ints, Ints]:
    """(nodes, passages): each current passage under the title of its document, with and without what stands in brackets."""
    fresh = max(node_of.values(), default=-1) + 1
    of_version: list[tuple[int, ...]] = []
    for title in passages.titles:
        found = []
        for spelled in dict.fromkeys((name_key(title), name_key(_ASIDE.sub("", title)))):
            if spelled and len(spelled.split()) <= LONGEST_NAME:
                if spelled not in node_of:
                    node_of[spelled], fresh = fresh, fresh + 1
                found.append(node_of[spelled])
        of_version.append(tuple(dict.fromkeys(found)))
    pairs = [
        (node, index)
        for index, version in enumerate(passages.version.tolist())
        if passages.current[index] and passages.speaker[index] < 0
        for node in of_version[version]
    ]
    rows = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _mentions(tx: Tx, project_id: str, passages: Passages, node_by_id: dict[str, int]) -> tuple[Ints, Ints, Ints]:
    rows = np.array(
        [(node_by_id[str(key)], int(no), int(start)) for key, no, start in tx.postings.mentions(project_id) if str(key) in node_by_id],
        dtype=np.int64,
    ).reshape(-1, 3)
    at = np.searchsorted(passages.numbers, rows[:, 1])
    inside = at < passages.count
    rows, at = rows[inside], at[inside]
    order = np.lexsort((rows[:, 2], at, rows[:, 0]))
    return rows[order, 0].astype(np.int32), at[order].astype(np.int32), rows[order, 2].astype(np.int32)


def _weights(nodes: Ints, at: Ints, title_nodes: Ints, title_passages: Ints, shape: tuple[int, int]) -> "sparse.csr_matrix":
    from scipy import sparse

    times = np.concatenate([np.ones(len(nodes), dtype=np.float32), np.full(len(title_nodes), TITLE_TIMES, dtype=np.float32)])
    where = (np.concatenate([nodes, title_nodes]), np.concatenate([at, title_passages]))
    matrix = sparse.coo_matrix((times, where), shape=shape, dtype=np.float32).tocsr()
    matrix.sum_duplicates()
    matrix.data = np.log1p(matrix.data)
    return matrix


def _leading(passages: Passages, nodes: Ints, at: Ints, title_nodes: Ints, title_passages: Ints) -> npt.NDArray[np.bool_]:
    """Which passages name the title of a document they are not part of."""
    owners: dict[int, set[int]] = {}
    for node, version in zip(title_nodes.tolist(), passages.version[title_passages].tolist(), strict=True):
        owners.setdefault(node, set()).add(version)
    found = np.zeros(passages.count, dtype=np.bool_)
    titled = np.flatnonzero(np.isin(nodes, title_nodes))
    for node, index in zip(nodes[titled].tolist(), at[titled].tolist(), strict=True):
        found[index] |= len(owners[node] - {int(passages.version[index])}) > 0
    return found


def seeds_of(links: Links, query: str, known: int) -> dict[int, float]:
    """node → how surely the query names it: the longest names first, common single words left out. `known` counts the passages."""
    words = tokenize(query)
    common = max(50, 0.02 * known)
    free = [True] * len(words)
    found: dict[int, float] = {}
    for size in range(min(LONGEST_NAME, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            node = links.node_of.get(" ".join(words[at : at + size])) if all(free[at : at + size]) else None
            if node is None or not links.frequency[node]:
                continue
            if size == 1 and (words[at] in STOP_WORDS or words[at].isdigit() or links.frequency[node] > common):
                continue
            found[node] = 1.0
            free[at : at + size] = [False] * size
    return found
