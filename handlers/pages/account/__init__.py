"""Pages of a person's account: signing in, and applications that ask for access."""
