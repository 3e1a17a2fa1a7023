# Tries: connects to the host's addresses, the gateway, the metadata service and the abstract sockets.
# Holds: none answers.
# Copy: knock.py
# Ends: any
# Says: tried
FROM python:3-slim
COPY knock.py /knock.py
RUN cat /proc/net/unix; python3 /knock.py %PORT% 127.0.0.1 %HOST% %GATEWAY% 169.254.169.254 ::1 10.0.2.2 host.containers.internal
