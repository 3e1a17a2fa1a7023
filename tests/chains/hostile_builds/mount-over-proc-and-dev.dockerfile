# Tries: mounts cover /proc, /dev and /etc, so that tools that read them are led astray.
# Holds: nothing of the host is there.
# Ends: any
FROM python:3-slim
RUN --mount=type=tmpfs,target=/proc --mount=type=bind,target=/etc,rw ls -la /proc /etc; cat %MARKER%; echo tried
