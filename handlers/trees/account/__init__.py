"""The caller's own account: registration, sessions, tokens, profile, notices, invitations."""
