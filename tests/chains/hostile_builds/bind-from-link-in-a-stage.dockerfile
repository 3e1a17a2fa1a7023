# Tries: a link in an earlier stage leads a bind mount to the root of the builder (CVE-2024-1753).
# Holds: what it shows is the box, never the host.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw cat /host%MARKER%; echo written > /host%FOLDER%/written; echo tried
