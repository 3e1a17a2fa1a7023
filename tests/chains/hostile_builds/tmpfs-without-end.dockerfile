# Tries: fills a tmpfs mount that has no size.
# Holds: its pages count as the build's memory.
# Ends: any
FROM python:3-slim
RUN --mount=type=tmpfs,target=/t,size=100g dd if=/dev/zero of=/t/f bs=1M count=4096; true
