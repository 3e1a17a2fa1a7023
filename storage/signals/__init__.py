"""Wake-ups between processes: change signals that are sent after a commit."""
