# Tries: leaves files in the image that are more than files.
# Holds: neither devices nor set-user-id bits nor attributes come out.
# Ends: any
# Says: tried
FROM python:3-slim
RUN mkdir /odd && cd /odd; cp /bin/dash root; chmod 6755 root; mknod disk b 8 0; mknod kmsg c 1 11; mkfifo pipe; ln -s %MARKER% link; \
    python3 -c "import os; os.setxattr('/odd/root', 'security.capability', bytes.fromhex('0100000200000400000000000000000000000000'))"; \
    python3 -c "import os; os.setxattr('/odd/root', 'user.x', b'y')"; \
    python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('/odd/socket')"; echo tried
