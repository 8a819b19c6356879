"""Chat."""

from beacon.ui.parts import frame

frame.title("Chat")
