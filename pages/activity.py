"""Activity: what happened, what changed, what is due, and how Beacon is doing."""

import streamlit as st

from beacon.ui import activity_changes, activity_health, activity_log, activity_schedules
from beacon.ui.parts import frame

frame.title("Activity", "What happened, what it changed, and how to take it back.")
TABS = {
    "Changes": activity_changes.changes,
    "Log": activity_log.log,
    "Schedules": activity_schedules.schedules,
    "Health": activity_health.health,
}
for tab, draw in zip(st.tabs(list(TABS), key="activity_tab", on_change="rerun", bind="query-params"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
