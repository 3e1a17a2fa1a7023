"""Shown charts: what every form of a plot shows, its rows, series and axes prepared once."""
