"""Home: what changed, what waits for you, what runs now."""

from beacon.ui.parts import home

home.draw()
