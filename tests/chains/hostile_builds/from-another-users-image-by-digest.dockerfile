# Tries: begins with a private image by its digest.
# Holds: it is not there.
# Ends: failed
FROM localhost/curlew/%REPO%@%DIGEST%
RUN cat /secret
