"""The graph in Neo4j: a projection of the records, written by merges that may be repeated."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

from beacon.domain.graph import Edge, GraphSummary, MentionRef, Node
from beacon.domain.ids import make_id
from beacon.errors import InputError, UnavailableError
from beacon.stores.graph import cypher
from beacon.stores.graph.embedded import best_fits, read_edges, read_nodes, read_summaries
from beacon.stores.graph.faults import refusal
from beacon.stores.graph.names import name_score, normal
from beacon.stores.graph.walks import Walks
from beacon.stores.records.rows import batches
from beacon.stores.records.store import Records

if TYPE_CHECKING:
    from neo4j import Driver

CONNECT_S = 3.0
RETRY_S = 1.0  # within which what failed is tried again; who comes later asks the embedded graph, or the outbox waits
STATEMENT_S = 60.0  # after which the server gives a statement up
READ_S, WRITE_S = 20.0, 90.0  # after which the server is taken for frozen: the driver itself waits for ever
BATCH_ROWS = 2000
INDEXED_NAMES = 8000  # characters; the server refuses to index a value of more than 32 kB
REBUILD_VERSIONS = 50

Statement = tuple[str, dict[str, Any]]
T = TypeVar("T")


class Neo4jGraph(Walks):
    """A graph store on a Neo4j server, which is asked for when it is first needed."""

    def __init__(self, records: Records, url: str, user: str = "neo4j", password: str = "") -> None:
        self._records = records
        self.address, named, secret = _taken_apart(url)
        self._user = named or user
        self._auth = (self._user, secret or password) if secret or password else None
        self._driver: Driver | None = None
        self._prepared = False
        self._lock = Lock()

    # Reading

    def nodes(self, project_id: str, ids: Sequence[str] | None = None, limit: int | None = None) -> list[Node]:
        if ids is None:
            return [_node(row) for row in self._read(cypher.NODES, limit, project=project_id)]
        return [_node(row) for row in self._read(cypher.NODES_BY_ID, limit, project=project_id, ids=list(ids))]

    def find(self, project_id: str, text: str, k: int) -> list[tuple[Node, float]]:
        wanted = normal(text)
        if not wanted or k < 1:
            return []
        nodes = [_node(row) for row in self._read(cypher.NODES_NAMED, project=project_id, text=wanted)]
        return best_fits(nodes, {node.id: name_score(wanted, node.name, node.aliases) for node in nodes}, k)

    def edges(
        self, project_id: str, among: Sequence[str] | None = None, touching: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Edge]:
        named = {"among": among, "touching": touching}
        given = {name: list(ids) for name, ids in named.items() if ids is not None}
        queries = {(): cypher.EDGES, ("among",): cypher.EDGES_AMONG, ("touching",): cypher.EDGES_TOUCHING}
        query = queries.get(tuple(given), cypher.EDGES_BOTH)
        return [_edge(row) for row in self._read(query, limit, project=project_id, **given)]

    def mentions(self, project_id: str, entity_id: str, limit: int | None = 200) -> list[MentionRef]:
        rows = self._read(cypher.MENTIONS, limit, project=project_id, entity=entity_id)
        return [MentionRef(entity_id=entity_id, **row) for row in rows]

    def summaries(self, project_id: str, segment: str | None = None, period: str | None = None) -> list[GraphSummary]:
        rows = self._read(cypher.SUMMARIES, project=project_id, segment=segment, period=period)
        found = [GraphSummary(**{**row, "citations": tuple(json.loads(row["citations"]))}) for row in rows]
        return sorted(found, key=lambda s: (s.segment, s.period, s.id))

    def counts(self, project_id: str) -> dict[str, int]:
        return self._read(cypher.COUNTS, project=project_id)[0]

    def status(self) -> str:
        try:
            total = self._read(cypher.TOTALS)[0]
        except UnavailableError as error:
            return error.message
        return f"Neo4j at {self.address}: {total['nodes']} entities, {total['edges']} relations"

    # Writing

    def sync_version(self, project_id: str, version_id: str) -> int:
        return self._sync(project_id, [version_id])

    def remove_versions(self, project_id: str, version_ids: Sequence[str]) -> int:
        versions = list(dict.fromkeys(version_ids))
        for part in batches(versions, REBUILD_VERSIONS):
            self._sync(project_id, part)
        return len(versions)

    def sync_summaries(self, project_id: str) -> int:
        with self._records.read() as tx:
            summaries = read_summaries(tx, project_id)
        rows = [_summary_row(project_id, summary) for summary in summaries]
        kept = [summary.id for summary in summaries]
        removal: Statement = (cypher.DROP_SUMMARIES, {"kept": kept})
        tidying: Statement = (cypher.DROP_BARE_SEGMENTS, {})
        self._write(project_id, [removal, *_puts(cypher.PUT_SUMMARIES, rows), tidying])
        return len(rows)

    def rebuild(self, project_id: str) -> int:
        with self._records.read() as tx:
            nodes, edges = read_nodes(tx, project_id), read_edges(tx, project_id)
            versions = tx.entities.mentioning_versions(project_id)
        for statement in (*_puts(cypher.PUT_ENTITIES, map(_entity_row, nodes)), *_puts(cypher.PUT_EDGES, map(_edge_row, edges))):
            self._write(project_id, [statement])
        for part in batches(versions, REBUILD_VERSIONS):
            with self._records.read() as tx:
                rows = tx.entities.mentioned_in(part)
            self._write(project_id, _mention_statements(part, rows))
        self._sweep(project_id, nodes, edges, versions)
        self.sync_summaries(project_id)
        return len(nodes)

    def close(self) -> None:
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def _sync(self, project_id: str, versions: Sequence[str]) -> int:
        """Versions as the records have them now, with the counts and weights of every entity they mention or mentioned here."""
        before = {str(row["id"]) for row in self._read(cypher.MENTIONED_BEFORE, versions=list(versions))}
        with self._records.read() as tx:
            rows = tx.entities.mentioned_in(versions)
            touched = sorted(before | {row["entity_id"] for row in rows})
            nodes = read_nodes(tx, project_id, touched)
            edges = read_edges(tx, project_id, among=touched)
        gone = sorted(set(touched) - {node.id for node in nodes})
        self._write(
            project_id,
            [
                (cypher.DROP_ENTITIES, {"ids": gone}),
                (cypher.DROP_EDGES, {"ends": touched, "kept": [edge.id for edge in edges]}),
                *_puts(cypher.PUT_ENTITIES, map(_entity_row, nodes)),
                *_puts(cypher.PUT_EDGES, map(_edge_row, edges)),
                *_mention_statements(versions, rows),
            ],
        )
        return len(rows)

    def _sweep(self, project_id: str, nodes: Sequence[Node], edges: Sequence[Edge], versions: Sequence[str]) -> None:
        """Removes what the records do not have: what was read before a rebuild, or half written by one that broke off."""
        old_entities = _ids(self._read(cypher.ENTITY_IDS, project=project_id)) - {node.id for node in nodes}
        old_versions = _ids(self._read(cypher.VERSION_IDS, project=project_id)) - set(versions)
        known = {edge.id for edge in edges}
        old_edges = [_edge_row(edge) for edge in self.edges(project_id) if edge.id not in known]
        statements: list[Statement] = [
            *((cypher.DROP_EDGES_BY_ID, {"rows": list(part)}) for part in batches(old_edges, BATCH_ROWS)),
            *((cypher.DROP_VERSIONS, {"ids": list(part)}) for part in batches(sorted(old_versions), BATCH_ROWS)),
            *((cypher.DROP_ENTITIES, {"ids": list(part)}) for part in batches(sorted(old_entities), BATCH_ROWS)),
        ]
        for statement in statements:
            self._write(project_id, [statement])

    # The server

    def _read(self, query: str, limit: int | None = None, **values: Any) -> list[dict[str, Any]]:
        """The rows of one query, as plain values."""
        import neo4j

        asked = neo4j.Query(query if limit is None else query + cypher.LIMITED, timeout=READ_S)
        with self._translated() as driver:
            found = _within(
                READ_S, lambda: driver.execute_query(asked, {**values, "limit": limit}, routing_=neo4j.RoutingControl.READ).records
            )
        return [dict(record) for record in found]

    def _write(self, project_id: str, statements: Iterable[Statement]) -> None:
        """All statements in one transaction."""
        import neo4j

        work = [(text, {**values, "project": project_id}) for text, values in statements]

        @neo4j.unit_of_work(timeout=STATEMENT_S)
        def run(tx: neo4j.ManagedTransaction) -> None:
            for text, values in work:
                tx.run(text, values).consume()

        def write() -> None:
            self._prepare(driver)
            with driver.session() as session:
                session.execute_write(run)

        with self._translated() as driver:
            _within(WRITE_S, write)

    def _prepare(self, driver: "Driver") -> None:
        """Constraints and indexes, once a process."""
        if self._prepared:
            return
        for statement in (*cypher.SCHEMA, cypher.SCHEMA_READY):
            driver.execute_query(statement)
        self._prepared = True

    def _open(self) -> "Driver":
        import neo4j
        from neo4j.exceptions import ConfigurationError

        with self._lock:
            if self._driver is None:
                try:
                    self._driver = neo4j.GraphDatabase.driver(
                        self.address, auth=self._auth, connection_timeout=CONNECT_S, connection_acquisition_timeout=2 * CONNECT_S,
                        max_transaction_retry_time=RETRY_S, liveness_check_timeout=30.0, notifications_min_severity="OFF",
                        telemetry_disabled=True,
                    )  # fmt: skip
                except (ConfigurationError, ValueError) as error:
                    raise InputError(f"The address of Neo4j, {self.address}, cannot be used ({error}): correct BEACON_NEO4J_URL.") from None
            return self._driver

    @contextmanager
    def _translated(self) -> Iterator["Driver"]:
        """The driver, its errors turned into Beacon's."""
        from neo4j.exceptions import AuthError, DriverError, Neo4jError

        driver = self._open()
        try:
            yield driver
        except AuthError as error:
            raise UnavailableError(
                f"Neo4j at {self.address} refuses the user '{self._user}': check BEACON_NEO4J_USER and BEACON_NEO4J_PASSWORD."
            ) from error
        except (DriverError, OSError) as error:
            if isinstance(error, TimeoutError):
                self._driver = None  # left to itself: closing it would wait for the server too
            raise UnavailableError(f"Neo4j at {self.address} does not answer: start it, or unset BEACON_NEO4J_URL.") from error
        except Neo4jError as error:
            raise refusal(self.address, str(error.code), retryable=error.is_retryable()) from error


def _taken_apart(url: str) -> tuple[str, str, str]:
    """The address alone, and the user and password that stood in it."""
    parts = urlsplit(url)
    named, _, host = parts.netloc.rpartition("@")
    user, _, password = named.partition(":")
    return urlunsplit(parts._replace(netloc=host)), unquote(user), unquote(password)


def _within(limit_s: float, ask: Callable[[], T]) -> T:
    """What `ask` returns or raises. Raises TimeoutError when that takes longer; its thread is then left behind."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            answer.set_exception(error)

    Thread(target=run, name="neo4j", daemon=True).start()
    return answer.result(limit_s)


def _puts(query: str, rows: Iterable[dict[str, Any]]) -> list[Statement]:
    return [(query, {"rows": list(part)}) for part in batches(list(rows), BATCH_ROWS)]


def _mention_statements(versions: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[Statement]:
    """Chunks and mentions of these versions as they are now; the entities must be there."""
    chunks = {row["chunk_id"]: row for row in rows}
    sources = {row["source_id"]: {key: row[key] for key in ("source_id", "url", "title")} for row in rows}
    named = {"versions": list(versions)}
    return [
        (cypher.DROP_CHUNKS, {**named, "kept": sorted(chunks)}),
        (cypher.DROP_MENTIONS, {**named, "kept": [row["id"] for row in rows]}),
        *_puts(cypher.PUT_CHUNKS, chunks.values()),
        *_puts(cypher.PUT_MENTIONS, rows),
        *_puts(cypher.SET_SOURCES, sources.values()),
    ]


def _ids(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    return {str(row["id"]) for row in rows}


def _entity_row(node: Node) -> dict[str, Any]:
    names = "\n".join(map(normal, (node.name, *node.aliases)))
    return {
        "id": node.id, "name": node.name, "type": node.type, "aliases": list(node.aliases),
        "names": names[:INDEXED_NAMES], "many": len(names) > INDEXED_NAMES,
        "mention_count": node.mention_count, "source_count": node.source_count,
    }  # fmt: skip


def _edge_row(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id, "source": edge.source, "target": edge.target, "kind": edge.kind, "weight": edge.weight,
        "first_at": edge.first_at, "last_at": edge.last_at,
    }  # fmt: skip


def _summary_row(project_id: str, summary: GraphSummary) -> dict[str, Any]:
    return {
        "id": summary.id, "segment": summary.segment, "segment_id": make_id("seg", project_id, summary.segment), "period": summary.period,
        "text": summary.text, "citations": json.dumps(list(summary.citations), ensure_ascii=False), "flagged": summary.flagged,
    }  # fmt: skip


def _node(row: Mapping[str, Any]) -> Node:
    return Node(row["id"], row["name"], row["type"], tuple(row["aliases"]), row["mentions"], row["sources"])


def _edge(row: Mapping[str, Any]) -> Edge:
    first, last = _moment(row["first_at"]), _moment(row["last_at"])
    return Edge(row["id"], row["source"], row["target"], row["kind"], float(row["weight"]), first, last)


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    moment: datetime = value.to_native()
    return moment.astimezone(UTC)
