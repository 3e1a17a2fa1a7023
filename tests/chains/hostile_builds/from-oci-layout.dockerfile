# Tries: begins with an OCI layout in a folder of the host.
# Holds: the box has no such folder.
# Ends: failed
FROM oci:%FOLDER%:latest
