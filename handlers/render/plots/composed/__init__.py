"""Parts on or beside charts: notes, lines over bars, trends, axis names, small multiples."""
