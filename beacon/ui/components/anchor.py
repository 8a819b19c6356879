"""A place on the page that is scrolled to once, when something new stands there."""

import json

import streamlit as st

_JS = r"""
let seen = null;
export default function ({ data: raw, parentElement }) {
  const { token } = JSON.parse(new TextDecoder().decode(raw));
  if (token === seen) return;
  seen = token;
  const host = parentElement.host ?? parentElement;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  setTimeout(() => host.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" }), 60);
}
"""
_mount = st.components.v2.component("beacon_anchor", html="<span></span>\n", css="span {\n display: block; height: 0;\n}", js=_JS)


def scroll_here(token: str, *, key: str) -> None:
    """Brings this place to the top of the window when `token` is another than before."""
    _mount(key=key, data=json.dumps({"token": token}).encode())
