"""Documents that the comparer was never tuned on: eight pairs with their changelogs, fifteen pairs with nothing but cosmetic edits.

Written by someone who had not read the comparer. Everything is made up: names, products, towns, laws and figures. Nothing here may be
used to tune anything; `python -m bench.held_out` measures.
"""
