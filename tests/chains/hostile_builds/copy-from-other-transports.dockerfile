# Tries: copies out of an archive, a daemon and a folder of the host.
# Holds: there are none.
# Ends: failed
FROM python:3-slim
COPY --from=oci-archive:%MARKER% / /a
COPY --from=docker-daemon:busybox:latest / /b
COPY --from=dir:%FOLDER% / /c
