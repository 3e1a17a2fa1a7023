"""What is set on charts or beside them: notes, values in parts, lines over bars, and small multiples."""
