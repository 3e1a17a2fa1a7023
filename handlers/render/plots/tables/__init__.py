"""Tables: the language of slices, and formats, styles, colours and merges of cells."""
