"""Tables as pictures: columns, rows, lines, and what is drawn in their cells."""
