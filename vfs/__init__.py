"""The kernel: a tree of nodes as data, the five verbs of a filesystem, and a single permission check."""
