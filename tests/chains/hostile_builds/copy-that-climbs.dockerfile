# Tries: copies a file of the host by a path out of the context.
# Holds: it ends at the context's root.
# Ends: failed
FROM python:3-slim
COPY ../../../../../../..%MARKER% /stolen
