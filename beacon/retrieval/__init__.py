"""What to read: lexical, dense and graph search, scoring, budgets and the context builder."""
