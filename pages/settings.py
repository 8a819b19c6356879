"""Settings."""

from beacon.ui.parts import frame

frame.title("Settings")
