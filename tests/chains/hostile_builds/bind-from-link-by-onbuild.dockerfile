# Tries: the same mount, as a trigger of an image that a later stage begins with.
# Holds: as without one.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim AS loaded
ONBUILD RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw cat /host%MARKER%; echo written > /host%FOLDER%/written; echo tried
FROM loaded
RUN echo tried
