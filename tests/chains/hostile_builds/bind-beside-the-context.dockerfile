# Tries: a bind mount of the context leads out of it by its path.
# Holds: it ends at the context's root or fails.
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=bind,source=../../../../../../../..%FOLDER%,target=/m ls -la /m; cat /m/marker; echo tried
