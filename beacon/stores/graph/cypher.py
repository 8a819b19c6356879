"""What is said to Neo4j.

(:Entity)-[:CO_OCCURS]->(:Entity), (:Entity)-[:MENTIONED_IN]->(:Chunk), (:Summary)-[:ABOUT]->(:Segment); all carry `project`.
"""

SCHEMA = (
    *(
        f"CREATE CONSTRAINT beacon_{label.lower()}_id IF NOT EXISTS FOR (n:{label}) REQUIRE n.id IS UNIQUE"
        for label in ("Entity", "Chunk", "Summary", "Segment")
    ),
    "CREATE INDEX beacon_entity_project IF NOT EXISTS FOR (n:Entity) ON (n.project, n.mention_count)",
    "CREATE INDEX beacon_chunk_version IF NOT EXISTS FOR (n:Chunk) ON (n.version_id)",
    "CREATE INDEX beacon_chunk_source IF NOT EXISTS FOR (n:Chunk) ON (n.source_id)",
    "CREATE INDEX beacon_chunk_project IF NOT EXISTS FOR (n:Chunk) ON (n.project)",
    "CREATE INDEX beacon_summary_project IF NOT EXISTS FOR (n:Summary) ON (n.project)",
    # Trigrams: a full-text index would part names into words, and could then not find what stands inside one.
    "CREATE TEXT INDEX beacon_entity_names IF NOT EXISTS FOR (n:Entity) ON (n.names)",
)
SCHEMA_READY = "CALL db.awaitIndexes(60)"

# Writing: every row is merged by its id

PUT_ENTITIES = """
UNWIND $rows AS row MERGE (e:Entity {id: row.id})
SET e.project = $project, e.name = row.name, e.type = row.type, e.aliases = row.aliases, e.names = row.names,
    e.mention_count = row.mention_count, e.source_count = row.source_count
FOREACH (_ IN CASE WHEN row.many THEN [1] ELSE [] END | SET e:ManyNames)
FOREACH (_ IN CASE WHEN row.many THEN [] ELSE [1] END | REMOVE e:ManyNames)"""
PUT_EDGES = """
UNWIND $rows AS row MATCH (a:Entity {id: row.source}) MATCH (b:Entity {id: row.target})
MERGE (a)-[r:CO_OCCURS {id: row.id}]->(b)
SET r.project = $project, r.kind = row.kind, r.weight = row.weight, r.first_at = row.first_at, r.last_at = row.last_at"""
PUT_CHUNKS = """
UNWIND $rows AS row MERGE (c:Chunk {id: row.chunk_id})
SET c.project = $project, c.version_id = row.version_id, c.source_id = row.source_id, c.url = row.url, c.title = row.title, c.at = row.at"""
PUT_MENTIONS = """
UNWIND $rows AS row MATCH (e:Entity {id: row.entity_id}) MATCH (c:Chunk {id: row.chunk_id})
MERGE (e)-[m:MENTIONED_IN {id: row.id}]->(c)
SET m.project = $project, m.start = row.start, m.end = row.end, m.surface = row.surface"""
# A source may have got another title or address with its newest version.
SET_SOURCES = "UNWIND $rows AS row MATCH (c:Chunk {source_id: row.source_id}) SET c.url = row.url, c.title = row.title"
PUT_SUMMARIES = """
UNWIND $rows AS row MERGE (s:Summary {id: row.id})
SET s.project = $project, s.segment = row.segment, s.period = row.period, s.text = row.text,
    s.citations = row.citations, s.flagged = row.flagged
MERGE (g:Segment {id: row.segment_id}) SET g.project = $project, g.name = row.segment
MERGE (s)-[:ABOUT]->(g)"""

# Removing what the records no longer hold

MENTIONED_BEFORE = "MATCH (e:Entity)-[:MENTIONED_IN]->(c:Chunk) WHERE c.version_id IN $versions RETURN DISTINCT e.id AS id"
DROP_CHUNKS = "MATCH (c:Chunk) WHERE c.version_id IN $versions AND NOT c.id IN $kept DETACH DELETE c"
DROP_MENTIONS = "MATCH (:Entity)-[m:MENTIONED_IN]->(c:Chunk) WHERE c.version_id IN $versions AND NOT m.id IN $kept DELETE m"
DROP_EDGES = "MATCH (a:Entity)-[r:CO_OCCURS]->(b:Entity) WHERE a.id IN $ends AND b.id IN $ends AND NOT r.id IN $kept DELETE r"
DROP_ENTITIES = "MATCH (e:Entity) WHERE e.id IN $ids DETACH DELETE e"
DROP_VERSIONS = "MATCH (c:Chunk) WHERE c.version_id IN $ids DETACH DELETE c"
DROP_EDGES_BY_ID = "UNWIND $rows AS row MATCH (:Entity {id: row.source})-[r:CO_OCCURS {id: row.id}]->(:Entity {id: row.target}) DELETE r"
DROP_SUMMARIES = "MATCH (s:Summary {project: $project}) WHERE NOT s.id IN $kept DETACH DELETE s"
DROP_BARE_SEGMENTS = "MATCH (g:Segment {project: $project}) WHERE NOT (g)<-[:ABOUT]-() DELETE g"
ENTITY_IDS = "MATCH (e:Entity {project: $project}) RETURN e.id AS id"
VERSION_IDS = "MATCH (c:Chunk {project: $project}) RETURN DISTINCT c.version_id AS id"

# Reading

_NODE = "RETURN e.id AS id, e.name AS name, e.type AS type, e.aliases AS aliases, e.mention_count AS mentions, e.source_count AS sources"
_EDGE = (
    "RETURN r.id AS id, a.id AS source, b.id AS target, r.kind AS kind, r.weight AS weight, r.first_at AS first_at, r.last_at AS last_at"
)
_HEAVIEST = "ORDER BY weight DESC, id"
_MOST = "ORDER BY mentions DESC, id"

NODES = f"MATCH (e:Entity {{project: $project}}) {_NODE} {_MOST}"
NODES_BY_ID = f"MATCH (e:Entity) WHERE e.id IN $ids AND e.project = $project {_NODE} {_MOST}"
# Entities with more names than the index takes are candidates of every search.
NODES_NAMED = f"""
CALL () {{ MATCH (e:Entity) WHERE e.names CONTAINS $text RETURN e UNION MATCH (e:ManyNames) RETURN e }}
WITH e WHERE e.project = $project {_NODE} {_MOST}"""
EDGES = f"MATCH (a:Entity {{project: $project}})-[r:CO_OCCURS]->(b:Entity) {_EDGE} {_HEAVIEST}"
EDGES_AMONG = (
    f"MATCH (a:Entity)-[r:CO_OCCURS]->(b:Entity) WHERE a.id IN $among AND b.id IN $among AND r.project = $project {_EDGE} {_HEAVIEST}"
)
EDGES_TOUCHING = f"""
MATCH (n:Entity)-[r:CO_OCCURS]-(:Entity) WHERE n.id IN $touching AND r.project = $project
WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b {_EDGE} {_HEAVIEST}"""
EDGES_BOTH = f"""
MATCH (a:Entity)-[r:CO_OCCURS]->(b:Entity) WHERE a.id IN $among AND b.id IN $among AND r.project = $project
AND (a.id IN $touching OR b.id IN $touching) {_EDGE} {_HEAVIEST}"""
MENTIONS = """
MATCH (e:Entity {id: $entity})-[m:MENTIONED_IN]->(c:Chunk) WHERE e.project = $project
RETURN c.id AS chunk_id, c.version_id AS version_id, c.source_id AS source_id, c.url AS url, c.title AS title,
       m.start AS start, m.end AS end
ORDER BY c.at DESC, version_id, start"""
SUMMARIES = """
MATCH (s:Summary {project: $project})
WHERE ($segment IS NULL OR s.segment = $segment) AND ($period IS NULL OR s.period = $period)
RETURN s.id AS id, s.segment AS segment, s.period AS period, s.text AS text, s.citations AS citations, s.flagged AS flagged"""
COUNTS = """
RETURN COUNT { MATCH (:Entity {project: $project}) } AS nodes,
       COUNT { MATCH (:Entity {project: $project})-[:CO_OCCURS]->() } AS edges,
       COUNT { MATCH (:Entity {project: $project})-[:MENTIONED_IN]->() } AS mentions,
       COUNT { MATCH (:Summary {project: $project}) } AS summaries"""
TOTALS = "RETURN COUNT { MATCH (:Entity) } AS nodes, COUNT { MATCH (:Entity)-[:CO_OCCURS]->() } AS edges"
LIMITED = " LIMIT $limit"
