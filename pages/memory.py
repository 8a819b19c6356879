"""Memory."""

from beacon.ui.parts import frame

frame.title("Memory")
