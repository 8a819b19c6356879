"""Twenty long documents, each before and after, with the changelog a careful reader would write.

Everything here was written for this project: names, products, laws and figures are made up. `scripts/*.pair` hold the prose (see
markup.py), tables.py the long tables; `python -m bench.long_pairs` writes truth.jsonl anew, and with a folder as argument the documents.
"""

from bench.long_pairs.build import Entry, Pair, build_pairs

__all__ = ["Entry", "Pair", "build_pairs"]
