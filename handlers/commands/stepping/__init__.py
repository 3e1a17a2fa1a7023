"""Commands about steps on several hosts."""
