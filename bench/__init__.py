"""Measurements: ratios against a raw baseline in the same run, because one machine's seconds say little about another's."""
