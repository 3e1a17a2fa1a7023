"""Commands about what goes on: runs, and the keys that secrets are sealed under."""
