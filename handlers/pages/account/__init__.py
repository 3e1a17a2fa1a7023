"""Pages of a person's account: signing in, and applications that ask to act for it."""
