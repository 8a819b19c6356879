"""The graph: a projection of entities and relations, embedded or in Neo4j."""
