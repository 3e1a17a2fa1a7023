"""What every resource has: shares, access, tags, comments, variables, pictures."""
