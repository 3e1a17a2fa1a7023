"""Settings: their types, defaults and lines of the manual, and their sources."""
