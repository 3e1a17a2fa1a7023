"""Bodies of requests: read as they come, JSON and forms taken apart, parts stored."""
