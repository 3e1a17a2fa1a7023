# syntax=127.0.0.1:%PORT%/frontend:latest
# Tries: has a program from the host's loopback read the recipe.
# Holds: nobody connects there.
# Ends: any
FROM python:3-slim
RUN --security=insecure cat %MARKER%; echo tried
RUN --network=host cat %MARKER%; echo tried
