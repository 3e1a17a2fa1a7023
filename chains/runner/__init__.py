"""The runner: takes runs, executes their steps, recovers what was lost."""
