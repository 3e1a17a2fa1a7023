"""Drawing of renders: their time limit, and what is kept of those that failed."""
