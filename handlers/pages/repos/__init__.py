"""The pages of repositories: files at a label, commits with their changes, builds with their logs."""
