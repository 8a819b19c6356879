"""What a page shows when there is nothing yet: what belongs there, and the one next step."""

import streamlit as st


def empty(
    title: str, text: str, *, icon: str = ":material/inbox:", button: str = "", key: str = "", button_icon: str | None = None
) -> bool:
    """Draws the empty state; whether its button was pressed. The texts are the page's own Markdown."""
    with st.container(border=True, horizontal_alignment="center", gap="xsmall"):
        st.space("small")
        st.markdown(f"### {icon}", width="content")
        st.markdown(f"**{title}**", width="content")
        st.caption(text, width=520, text_alignment="center")
        pressed = bool(button) and st.button(button, key=key or f"empty_{title}", type="primary", icon=button_icon)
        st.space("small")
    return pressed
