"""The language of jobs, the life of a run, and its execution in containers."""
