"""Parts of the pages of groups and organisations, and the pages of their settings."""
