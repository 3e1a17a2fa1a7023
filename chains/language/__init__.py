"""Parsers of the texts that people write: chains, schedules, layouts, mappings and results."""
