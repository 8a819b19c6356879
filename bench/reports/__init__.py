"""Reports over the sample workspace, and what writes them."""
