# Tries: reads and poisons the cache that another repo's build filled under the same id.
# Holds: caches belong to one repo.
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=cache,id=pip,target=/cache cat /cache/*; echo poisoned > /cache/wheel; echo tried
RUN --mount=type=cache,target=/root/.cache/pip cat /root/.cache/pip/*; echo tried
