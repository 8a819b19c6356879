"""Home."""

from beacon.ui.parts import frame

frame.title("Home")
