"""Plots: rows of text drawn as charts and tables."""
