"""Keeps tests, and every Python they start, off the network."""
