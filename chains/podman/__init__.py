"""Podman: the engine and the builder over it, and all it needs of the host."""
