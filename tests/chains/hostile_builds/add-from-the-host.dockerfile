# Tries: has the builder fetch from the host's own address.
# Holds: nobody connects there.
# Ends: failed
FROM python:3-slim
ADD http://%HOST%:%PORT%/secret /stolen
