# Tries: begins with an image that lies in a folder of the host.
# Holds: the box has no such folder.
# Ends: failed
FROM dir:%FOLDER%
