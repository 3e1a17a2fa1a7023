"""Short read-only addresses of users and organisations."""
