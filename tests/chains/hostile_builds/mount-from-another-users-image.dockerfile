# Tries: mounts a private image.
# Holds: it is not there.
# Ends: failed
FROM python:3-slim
RUN --mount=type=bind,from=localhost/curlew/%REPO%:main,source=/,target=/s cat /s/secret
