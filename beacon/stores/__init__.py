"""Where it is kept: records, vectors and graph."""
