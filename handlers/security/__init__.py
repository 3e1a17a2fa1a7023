"""The security log: its events, its lines, its file, and reading it."""
