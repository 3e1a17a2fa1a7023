# Tries: the options of a mount come out of a variable.
# Holds: they mean no more than if they were written there.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
ARG WHERE=/rootlink
RUN --mount=type=bind,from=trap,source=${WHERE},target=/host,rw cat /host%MARKER%; echo tried
