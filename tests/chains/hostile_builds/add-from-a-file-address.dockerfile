# Tries: has the builder fetch a file by its address.
# Holds: it is none of the box's.
# Ends: failed
FROM python:3-slim
ADD file://%MARKER% /stolen
