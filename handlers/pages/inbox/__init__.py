"""The notices of the caller on pages."""
