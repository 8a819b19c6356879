"""The few pieces of the dashboard that Streamlit does not have: the graph's canvas and the listener for citation chips."""
