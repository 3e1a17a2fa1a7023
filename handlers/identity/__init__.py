"""Authentication: callers of credentials, passwords, and uses of tokens."""
