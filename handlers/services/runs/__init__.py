"""Runs: how triggers order them, and what happens when they end."""
