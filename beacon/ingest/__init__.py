"""How it comes in: parse, normalise, chunk, embed and name entities."""
