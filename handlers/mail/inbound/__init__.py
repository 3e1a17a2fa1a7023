"""Mail that comes in: read by one parser, within bounds, and its sender proved."""
