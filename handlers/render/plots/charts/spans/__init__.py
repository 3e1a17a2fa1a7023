"""Charts of spans of time."""
