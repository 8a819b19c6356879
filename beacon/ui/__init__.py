"""How it looks: the only room that imports Streamlit, beside app.py and pages/."""
