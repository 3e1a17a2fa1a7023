"""Bodies of requests: streamed, parsed as JSON or forms, and parts of forms stored."""
