"""The book of runs, builds and schedules."""
