"""Sign-in with a company's provider of OpenID Connect; this service is its client."""
