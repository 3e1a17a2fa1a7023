"""Runs, builds, schedules and counts of runs as rows."""
