"""Images and files of runs, shared between several hosts of an installation."""
