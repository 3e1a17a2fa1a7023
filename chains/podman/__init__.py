"""Podman: the engine and the builder that use it, and its parts on the host."""
