"""Why an entity was found."""

from beacon.domain.graph import Edge, Node, Subgraph
from beacon.retrieval.graph_receipts import match_receipt, reach_receipts

BANK = Node("ent_1", "Reserve Bank of Velm", "organization", ("RBV", "Velm's bank"), 7, 3)


def test_the_name_that_fits_is_told_and_how() -> None:
    told = match_receipt("rbv", BANK, 0.95)
    assert (told["name"], told["how"], told["alias"]) == ("RBV", "exact", True)


def test_a_beginning_and_a_word_inside_are_told_apart() -> None:
    assert [match_receipt(query, BANK, 0.8)["how"] for query in ("Reserve", "of Velm", "eserve")] == ["beginning", "word", "inside"]


def test_what_surrounds_an_entity_is_told_by_the_strongest_way_there() -> None:
    nodes = tuple(Node(key, key, "other") for key in "abcd")
    edges = (Edge("ab", "a", "b", "co_occurs", 1.0), Edge("ac", "a", "c", "co_occurs", 3.0), Edge("bc", "b", "c", "co_occurs", 9.0))
    told = reach_receipts(Subgraph(nodes, (*edges, Edge("cd", "c", "d", "co_occurs", 1.0))), ["a"])
    assert {key: receipt["hops"] for key, receipt in told.items()} == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert told["b"]["via"]["edge_id"] == "ab" and told["d"]["via"] == {"edge_id": "cd", "from": "c", "weight": 1.0}


def test_an_entity_that_is_not_there_has_no_receipt() -> None:
    assert reach_receipts(Subgraph((Node("a", "a", "other"),)), ["a", "z"]) == {"a": {"hops": 0, "via": None}}
