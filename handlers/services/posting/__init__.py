"""Making notices: the events there are, and who wants to be told of which."""
