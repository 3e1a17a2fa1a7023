# Tries: asks for mounts that only the host could give.
# Holds: the reason is a sentence.
# Ends: failed
FROM python:3-slim
RUN --mount=type=volume,source=%FOLDER%,target=/m cat /m/marker
