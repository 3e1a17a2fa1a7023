# Tries: a cache mount begins with a link in a stage (CVE-2024-9675 by another way).
# Holds: it stays in the box.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RUN --mount=type=cache,from=trap,source=/rootlink,target=/host cat /host%MARKER%; echo written > /host%FOLDER%/written; echo tried
