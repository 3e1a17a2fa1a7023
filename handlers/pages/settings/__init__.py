"""Pages of the settings of one's own account, one page a concern."""
