"""How it answers: intents, evidence pack, grounding and challenge mode."""
