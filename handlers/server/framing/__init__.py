"""The framing of requests: received bytes become requests with bodies."""
