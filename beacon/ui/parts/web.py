"""The settings page's web: which engines are searched, and who is told when something happened."""

from typing import Any

import streamlit as st

from beacon.ui.parts import models
from beacon.ui.session import beacon, call


def draw() -> None:
    """The whole tab."""
    found = call("provider_list")
    st.caption("A run searches for what its topic asks and for what is known of it, and reads only pages it has not read before.")
    for one in found["search"]:
        models.row(one)
    _engines(found)
    _telling()


def _engines(found: dict[str, Any]) -> None:
    labels = {one["name"]: one["label"] for one in found["search"]}
    chosen = [name.strip() for name in found["routing"]["search"].split(",") if name.strip() in labels]
    with st.form("search", border=False):
        engines = st.multiselect(
            "Search with", list(labels), chosen, format_func=lambda name: labels[name], key="search_engines",
            placeholder="those that have a key", help="Several are asked together and their results merged.",
        )  # fmt: skip
        address = st.text_input(
            "Your SearXNG", beacon().workspace.settings.searxng_url, key="searxng_url", placeholder="http://127.0.0.1:8888"
        )
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed:
        models.save({"search": ",".join(engines) or None, "searxng_url": address.strip() or None})


def _telling() -> None:
    settings = beacon().workspace.settings
    st.markdown("#### Who is told")
    st.caption(
        "When something material changed, a gate waits or a topic went silent. Nothing is sent when nothing happened. "
        f"The Atom feed is always there: `{settings.outputs_dir / 'feed.atom'}`"
    )
    with st.form("telling", border=False):
        left, right = st.columns(2)
        email = left.text_input("E-mail", settings.notify_email, key="notify_email", placeholder="you@example.org")
        hook = right.text_input("Webhook", settings.notify_webhook, key="notify_webhook", placeholder="https://…")
        days = st.number_input("A topic is silent after days", 1, 3650, settings.silent_after_days, key="silent_after_days", width=240)
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if not settings.smtp_host:
        st.caption("E-mail needs a mail server: `BEACON_SMTP_HOST`, `BEACON_SMTP_USER` and `BEACON_SMTP_PASSWORD`.")
    if pressed:
        models.save({"notify_email": email.strip() or None, "notify_webhook": hook.strip() or None, "silent_after_days": int(days)})
