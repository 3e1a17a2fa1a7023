# Tries: the id of a cache mount leads out of the folder of caches (CVE-2024-9675).
# Holds: it stays in the box.
# Ends: any
FROM python:3-slim
RUN --mount=type=cache,id=../../../../../../../../..%FOLDER%,target=/host cat /host/marker; echo written > /host/written; true
RUN --mount=type=cache,id=..,target=/host ls -la /host; true
