# Tries: begins with a file of the host as an archive, whose error tells whether it is there.
# Holds: the box has no such file.
# Ends: failed
FROM docker-archive:%MARKER%
