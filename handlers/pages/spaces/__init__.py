"""The pages of spaces: folders, files that are text, and what changed."""
