"""Wake-ups between processes: bells that ring when something was committed."""
