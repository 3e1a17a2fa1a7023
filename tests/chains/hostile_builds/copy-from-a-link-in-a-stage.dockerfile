# Tries: copies a file of the host through a link in a stage.
# Holds: the link is followed inside of the stage.
# Ends: failed
FROM python:3-slim AS trap
RUN ln -s / /rootlink && ln -s %MARKER% /marker
FROM python:3-slim
COPY --from=trap /rootlink%MARKER% /stolen
COPY --from=trap /marker /stolen2
