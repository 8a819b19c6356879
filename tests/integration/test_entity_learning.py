"""What a project learns of its entities from later documents: short forms, and types that an earlier document did not tell."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beacon.domain.graph import Edge, Node
from beacon.domain.source import Block, Document, IncomingDocument
from beacon.ingest.pipeline import ingest_documents
from beacon.workspace import Workspace
from tests.graph_world import open_workspace

SHORT = "Then the QHA met Zephyr Works. It was late."
FULL = "The Quillon Harbour Authority (QHA) met Otto Brandt Partners. It was early."


class FlatEmbedder:
    """Vectors that say nothing, quickly."""

    name, dimension, version = "flat", 4, "1"

    def embed(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), self.dimension), dtype="float32") / 2


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    found = open_workspace(tmp_path / "home")
    found.makers = replace(found.makers, embedder=FlatEmbedder)
    return found


def read(ws: Workspace, *texts: str, together: bool = False) -> None:
    documents = [
        IncomingDocument(text, f"https://{n}.example", "", Document(text, "", "text/plain", (Block(0, len(text), "paragraph"),)))
        for n, text in enumerate(texts)
    ]
    for batch in [documents] if together else [[document] for document in documents]:
        ingest_documents(ws, batch, origin="test")


def nodes(ws: Workspace) -> dict[str, Node]:
    with ws.records.read() as tx:
        return {node.name: node for node in tx.entities.nodes(ws.project_id)}


def edges(ws: Workspace) -> list[Edge]:
    with ws.records.read() as tx:
        return tx.entities.edges(ws.project_id)


@pytest.mark.parametrize("texts", [(SHORT, FULL), (FULL, SHORT)])
@pytest.mark.parametrize("together", [True, False])
def test_short_form_joins_its_full_name_whichever_is_read_first(ws: Workspace, texts: tuple[str, str], together: bool) -> None:
    read(ws, *texts, together=together)
    found = nodes(ws)
    assert "QHA" not in found and found["Quillon Harbour Authority"].mention_count == 3
    assert "QHA" in found["Quillon Harbour Authority"].aliases


def test_relations_go_over_with_their_evidence(ws: Workspace) -> None:
    read(ws, SHORT, FULL)
    found = nodes(ws)
    ends = {frozenset((edge.source, edge.target)): edge.weight for edge in edges(ws)}
    assert ends[frozenset((found["Quillon Harbour Authority"].id, found["Zephyr Works"].id))] == 1


def test_no_entity_is_related_to_itself(ws: Workspace) -> None:
    read(ws, "The QHA and the Quillon Harbour Trust met.", "The Quillon Harbour Authority (QHA) met the QHA.", FULL)
    assert all(edge.source != edge.target for edge in edges(ws))


def test_short_form_of_two_names_is_left_alone(ws: Workspace) -> None:
    read(ws, "The Quillon Harbour Authority (QHA) met.", "The Quota Holder Alliance (QHA) met.", "Then the QHA met.")
    assert nodes(ws)["QHA"].mention_count == 1


def test_reading_again_changes_nothing(ws: Workspace) -> None:
    read(ws, SHORT, FULL)
    before = (nodes(ws), edges(ws))
    read(ws, SHORT, FULL)
    assert (nodes(ws), edges(ws)) == before


def test_type_is_told_by_a_later_document(ws: Workspace) -> None:
    read(ws, "We met Quillon there.", "We asked Quillon, a company in the north.")
    assert nodes(ws)["Quillon"].type == "organization"


def test_type_that_is_known_stays(ws: Workspace) -> None:
    read(ws, "We asked Quillon, a company in the north.", "We are using Quillon. We deploy Quillon.")
    assert nodes(ws)["Quillon"].type == "organization"


def test_document_that_tells_outweighs_those_that_guess(ws: Workspace) -> None:
    read(ws, "We run QuilLon here. See QuilLon there.", "We asked QuilLon, a company in the north.", together=True)
    assert nodes(ws)["QuilLon"].type == "organization"


def test_type_told_by_too_few_of_its_mentions_is_not_taken(ws: Workspace) -> None:
    often = "We met Quillon there. " * 200
    read(ws, often, "We asked Quillon, a company in the north.", together=True)
    assert nodes(ws)["Quillon"].type == "other"
