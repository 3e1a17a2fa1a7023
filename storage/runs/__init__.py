"""Runs, builds, schedules and counts of runs in the database."""
