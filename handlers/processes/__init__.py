"""One module a process: web, runner, git's hook, and the world they share."""
