"""The endpoints for OAuth applications outside of the API: tokens, revocation, metadata."""
