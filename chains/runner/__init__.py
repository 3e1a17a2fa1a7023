"""The runner: claims runs, executes their steps, recovers what was lost."""
