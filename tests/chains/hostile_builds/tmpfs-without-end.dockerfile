# Tries: fills a tmpfs mount that has no size.
# Holds: its pages count as the build's memory.
# Ends: failed
FROM python:3-slim
RUN --mount=type=tmpfs,target=/t dd if=/dev/zero of=/t/f bs=1M count=4096; echo tried
