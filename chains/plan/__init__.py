"""Chains compiled to plans, and the progress of runs in plans."""
