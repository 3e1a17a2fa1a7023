# Tries: takes all memory.
# Holds: the build is stopped at its limit.
# Ends: failed
FROM python:3-slim
RUN exec python3 -c "a = bytearray(1 << 33); print(len(a))"
