"""Pages that list items: the search, the items of a kind, shared items, and the home page."""
