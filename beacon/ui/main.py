"""The frame of every page: navigation, search, workspace. Streamlit runs this script for each visit; the pages are in pages/."""

import streamlit as st

from beacon.ui import folders
from beacon.ui.parts import frame

st.set_page_config(page_title="Beacon", page_icon=str(folders.STATIC / "beacon.png"), layout="wide")
st.logo(str(folders.STATIC / "wordmark.png"), size="large", icon_image=str(folders.STATIC / "beacon.png"))
page = st.navigation(frame.pages(), position="sidebar")
frame.sidebar(page)
page.run()
