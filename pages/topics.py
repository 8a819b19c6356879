"""Topics."""

from beacon.ui.parts import frame

frame.title("Topics")
