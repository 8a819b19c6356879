"""Search."""

from beacon.ui.parts import frame

frame.title("Search")
