"""Code: repos, jobs, their runs and holds, spaces."""
