"""The ports that the kernel and the services need, as protocols."""
