"""Entries of every resource: shares, access, tags, comments, variables, pictures."""
