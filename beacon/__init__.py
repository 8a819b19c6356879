"""Beacon: a research desk with a memory you can see."""
