"""Pages and forms of items that a link opens without an account."""
