"""Memory: everything Beacon keeps in mind, to read, correct, undo and see as it was."""

import streamlit as st

from beacon.ui import context_inspector, memory_consolidate, memory_list, memory_profile, memory_search, memory_words
from beacon.ui.parts import frame

frame.title("Memory", "What Beacon keeps in mind. Everything here can be read, corrected, undone, and seen as it was on any day.")
memory_words.undo_bar()
TABS = {
    "Memories": memory_list.memories,
    "Profile": memory_profile.profile,
    "Search": memory_search.search,
    "In mind": context_inspector.preview,
    "Consolidate": memory_consolidate.consolidation,
}
for tab, draw in zip(st.tabs(list(TABS), key="memory_tab", on_change="rerun", bind="query-params"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
