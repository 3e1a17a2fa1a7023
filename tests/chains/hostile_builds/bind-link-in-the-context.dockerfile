# Tries: a link in the repository leads a bind mount to the root.
# Holds: it is the box's root at most.
# Link: away -> /
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=bind,source=away,target=/host,rw cat /host%MARKER%; echo written > /host%FOLDER%/written; echo tried
