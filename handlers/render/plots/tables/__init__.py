"""Tables: the syntax of slices, and formats, styles, colours and merges of cells."""
