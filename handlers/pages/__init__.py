"""Web pages: what the API tells and takes, for people with a browser."""
