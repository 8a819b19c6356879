"""Who thinks: one adapter a provider, routing, budgets and usage."""
