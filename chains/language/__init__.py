"""The texts people write, parsed: chains and schedules."""
