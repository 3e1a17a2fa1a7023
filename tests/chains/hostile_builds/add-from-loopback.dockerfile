# Tries: has the builder fetch from a port of the host.
# Holds: nobody connects there.
# Ends: failed
FROM python:3-slim
ADD http://127.0.0.1:%PORT%/secret /stolen
RUN cat /stolen
