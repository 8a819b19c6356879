"""Activity."""

from beacon.ui.parts import frame

frame.title("Activity")
