"""What may be done: the registry every door calls, and the sample workspace."""
