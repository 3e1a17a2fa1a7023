"""Forms of a plot: picture, terminal, table and slide."""
