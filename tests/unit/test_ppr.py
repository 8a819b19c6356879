"""PageRank over relations."""

import pytest

from beacon.domain.graph import Edge
from beacon.retrieval.ppr import pagerank, ppr


def edges(*given: tuple[str, str, float]) -> list[Edge]:
    return [Edge(f"{a}{b}", a, b, "co_occurs", weight) for a, b, weight in given]


def test_the_shares_sum_to_one() -> None:
    assert sum(ppr(edges(("a", "b", 1), ("b", "c", 2), ("d", "e", 1)), {"a": 2.0, "d": 1.0}).values()) == pytest.approx(1.0, abs=1e-6)


def test_two_nodes_are_worked_out_by_hand() -> None:
    # a = 0.15 + 0.85 b, b = 0.85 a
    found = ppr(edges(("a", "b", 3)), {"a": 1.0}, 0.85)
    assert found == {"a": pytest.approx(1 / 1.85, abs=1e-6), "b": pytest.approx(0.85 / 1.85, abs=1e-6)}


def test_stronger_relations_draw_more() -> None:
    found = ppr(edges(("a", "b", 9), ("a", "c", 1)), {"a": 1.0})
    assert found["b"] > found["c"]


def test_what_no_seed_reaches_is_left_out() -> None:
    assert set(ppr(edges(("a", "b", 1), ("x", "y", 1)), {"a": 1.0})) == {"a", "b"}


def test_a_seed_without_relations_keeps_its_share() -> None:
    assert ppr(edges(("a", "b", 1)), {"z": 1.0}) == {"z": 1.0}


@pytest.mark.parametrize("seeds", [{}, {"a": 0.0}])
def test_no_seed_is_no_answer(seeds: dict[str, float]) -> None:
    assert ppr(edges(("a", "b", 1)), seeds) == {}


def test_the_order_of_edges_and_seeds_does_not_matter() -> None:
    given = edges(("a", "b", 1), ("b", "c", 2), ("c", "d", 0.3), ("a", "d", 0.1))
    one, other = ppr(given, {"a": 1.0, "c": 0.1}), ppr(given[::-1], {"c": 0.1, "a": 1.0})
    assert list(one.items()) == list(other.items())


def test_ties_go_by_id() -> None:
    assert list(ppr(edges(("m", "z", 1), ("b", "m", 1)), {"m": 1.0})) == ["m", "b", "z"]


def test_the_hub_is_the_most_central() -> None:
    assert next(iter(pagerank(edges(("h", "a", 1), ("h", "b", 1), ("h", "c", 1)), ["a", "b", "c", "h", "lone"]))) == "h"


def test_a_small_graph_agrees_with_networkx() -> None:
    import networkx as nx

    given = edges(("a", "b", 1), ("b", "c", 2), ("c", "d", 3), ("a", "d", 1), ("b", "e", 5))
    graph = nx.Graph()
    graph.add_weighted_edges_from((e.source, e.target, e.weight) for e in given)
    theirs = nx.pagerank(graph, alpha=0.85, personalization={"a": 1.0, "e": 3.0}, tol=1e-12, max_iter=1000)
    assert ppr(given, {"a": 1.0, "e": 3.0}) == pytest.approx(theirs, abs=1e-7)
