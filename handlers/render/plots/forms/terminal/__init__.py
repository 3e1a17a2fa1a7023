"""Plots in characters: bars, lines, cells and tables in the columns and rows of a terminal."""
