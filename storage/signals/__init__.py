"""Wake-ups between processes: change signals that are sent when something was committed."""
