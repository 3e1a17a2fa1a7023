"""Parts set on charts or beside them: notes, values in parts, lines over bars, small multiples."""
