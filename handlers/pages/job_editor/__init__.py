"""The editor of a job: its chain beside its drawing, when it runs, and all else that it is configured by."""
