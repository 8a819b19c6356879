"""The vector index: a projection of chunk and memory embeddings."""
