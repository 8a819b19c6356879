"""Prompts of runs, one file a task."""
