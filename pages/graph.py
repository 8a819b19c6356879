"""Graph: who and what the sources speak of, how it hangs together, and the sentences that say so."""

from beacon.ui import graph_page
from beacon.ui.parts import frame

frame.title("Graph", "Who and what your sources speak of. Click an entity to read what is said about it, word for word.")
graph_page.body()
