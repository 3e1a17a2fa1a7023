"""Forms of a plot: picture, terminal, HTML, table files and slide."""
