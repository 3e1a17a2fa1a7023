# Tries: copies out of a private image by the start of its id.
# Holds: it is not there.
# Ends: failed
FROM python:3-slim
COPY --from=%SHORT_ID% /secret /stolen
RUN cat /stolen
