"""Topics: the list; or, with ?slug=, one topic with what changed, its report, its runs and its sources."""

from beacon.ui.parts import topics

topics.draw()
