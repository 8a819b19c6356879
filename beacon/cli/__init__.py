"""The command line: one door of the tools. Every command calls a tool and prints what it returns."""

from beacon.cli.main import main

__all__ = ["main"]
