# Tries: begins with a private image by its id.
# Holds: it is not there.
# Ends: failed
FROM %ID%
RUN cat /secret
