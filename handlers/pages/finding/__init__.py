"""Pages that find things: the search, lists of each kind, what others share, and the first page."""
