# Tries: the id of a cache mount leads out of the folder of caches (CVE-2024-9675).
# Holds: it stays in the box.
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=cache,id=../../../../../../../../..%FOLDER%,target=/host cat /host/marker; echo written > /host/written; echo tried
RUN --mount=type=cache,id=..,target=/host ls -la /host; echo tried
