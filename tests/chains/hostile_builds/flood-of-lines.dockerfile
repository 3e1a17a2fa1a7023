# Tries: prints without end, one endless line, and what would drive a terminal.
# Holds: the log is cut.
# Ends: failed
# Says: tried
FROM python:3-slim
RUN echo tried; yes 0123456789012345678901234567890123456789 | head -c 20000000; head -c 2000000 /dev/zero | tr '\0' x; printf '\033[2J\000\377\n'
