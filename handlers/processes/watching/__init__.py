"""The composition of the process that shows figures."""
