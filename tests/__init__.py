"""Beacon's tests: unit, contract, integration, app and rules, and the servers they run against."""
