"""Settings: the project, you, the models, and how Beacon is doing."""

from beacon.ui.parts import settings

settings.draw()
