"""Judgement without a model: pure functions over text, no I/O. The same input gives the same output."""
