"""Search: passages from every source, with the receipt of each score. Reached from the search box."""

from beacon.ui.parts import search

search.draw()
