# Tries: the system calls that no build needs.
# Holds: each is refused.
# Copy: calls.py
# Ends: any
# Says: all refused
FROM python:3-slim
COPY calls.py /calls.py
RUN python3 /calls.py; unshare -U true; unshare -m true; unshare -p -f true; unshare -n true; echo tried
