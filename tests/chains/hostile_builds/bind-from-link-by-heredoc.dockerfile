# Tries: the same mount, its command in a heredoc.
# Holds: as without one.
# Ends: any
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw <<EOF
cat /host%MARKER%
echo written > /host%FOLDER%/written
EOF
