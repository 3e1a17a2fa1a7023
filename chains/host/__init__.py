"""The machine made ready for containers: a Podman of its own, its networks and their fence."""
