"""Authentication: credentials to callers, passwords, the uses of tokens."""
