"""The port through which steps run and images are built, and its scripted fake."""
