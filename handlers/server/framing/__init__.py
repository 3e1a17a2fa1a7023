"""The framing of requests: bytes that come on a connection become requests with bodies."""
