"""One's own account: registration, sessions, tokens, profile, notices, invites."""
