"""The dashboard: `beacon up` and `streamlit run app.py` both serve this. Streamlit finds `app = st.App(...)` by reading the file."""

import streamlit as st

from beacon import mcp
from beacon.ui import web

app = st.App(web.MAIN, lifespan=web.lifespan(mcp.http_app), routes=web.routes(), middleware=web.middleware())
