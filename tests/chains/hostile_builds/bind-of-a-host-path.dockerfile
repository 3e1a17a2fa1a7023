# Tries: a bind mount names a file of the host.
# Holds: there is no such file in the box.
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=bind,source=%MARKER%,target=/m cat /m; echo tried
