"""Pages that find: the search, lists of each kind, what others share, and the first page."""
