"""The processes: web server, runner, git's hook and others, and the world they share."""
