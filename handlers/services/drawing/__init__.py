"""Drawing of renders: the time that one has, and what is kept of those that failed."""
