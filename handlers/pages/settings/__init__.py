"""Pages of the account's own settings, one page for each concern."""
