"""The security log: what it tells of, how a line is made and kept, and how it is read again."""
