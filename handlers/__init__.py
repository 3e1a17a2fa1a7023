"""The service: what is served, and the doors through which it is asked."""
