"""Wake-ups between processes: change signals that ring when something was committed."""
