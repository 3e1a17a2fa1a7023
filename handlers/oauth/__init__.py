"""The endpoints of applications outside of the API: tokens, revocation, and what the service offers them."""
