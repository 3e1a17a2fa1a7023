"""File browsers: folders with what they hold, names that are typed and chosen, and files as texts."""
