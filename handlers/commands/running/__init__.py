"""Commands about active runs, and about the keys that encrypt secrets."""
