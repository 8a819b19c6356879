"""Insights: what customers said, as themes and ranked opportunities, with the decisions that rest on them."""

import streamlit as st

from beacon.ui import insights_compare, insights_decisions, insights_evidence, insights_head, insights_opportunities, insights_themes
from beacon.ui.parts import frame

frame.title(
    "Insights",
    "What customers said: themes with the people behind them, opportunities whose score opens into its parts, and what you decided.",
)
insights_head.head()
TABS = {
    "Themes": insights_themes.themes,
    "Opportunities": insights_opportunities.opportunities,
    "What if": insights_compare.what_if,
    "Compare": insights_compare.compare,
    "Decisions": insights_decisions.decisions,
    "Evidence": insights_evidence.evidence,
}
for tab, draw in zip(st.tabs(list(TABS), key="insights_tab", on_change="rerun", bind="query-params"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
insights_head.open_clicked()
