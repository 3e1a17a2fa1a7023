"""Chains compiled to plans, and what of a plan may run next."""
