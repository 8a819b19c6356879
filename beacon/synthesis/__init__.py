"""What it means: themes, opportunities, segment and period summaries, and exports."""
