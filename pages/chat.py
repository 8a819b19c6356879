"""Chat: questions answered from exact quotes, each one click away, or an honest "not enough evidence"."""

from beacon.ui import chat_page
from beacon.ui.parts import frame

frame.title("Chat")
chat_page.body()
