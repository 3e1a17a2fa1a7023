"""Package proxies on the loopback of a build (an index for pip, a relay for apt), and their connections."""
