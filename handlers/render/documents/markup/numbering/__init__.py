"""Numbers of figures and tables, and references to them."""
