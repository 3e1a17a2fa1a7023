"""Charts with something set on them or beside them: notes, lines over bars, and small multiples."""
