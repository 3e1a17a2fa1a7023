"""Mail that leaves the service."""
