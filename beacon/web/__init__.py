"""Who looks: search providers, feeds, fetching and extraction."""
