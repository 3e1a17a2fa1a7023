"""The runner: takes runs, executes their steps, and recovers after a lost runner."""
