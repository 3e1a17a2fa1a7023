"""Runs: how they are ordered, by whatever triggers them, and what follows when they end."""
