"""The pages of repositories: files at a label, commits with what they changed, builds with their logs."""
