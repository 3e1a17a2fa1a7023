"""The machine prepared for containers: a separate Podman, its networks and their firewall."""
