"""Pages of what people say of an item and did to it: its comments, and its activity."""
