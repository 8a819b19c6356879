"""Graph."""

from beacon.ui.parts import frame

frame.title("Graph")
