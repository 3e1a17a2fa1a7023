# Tries: the same without the host's name.
# Holds: it is not there.
# Ends: failed
FROM curlew/%REPO%:main
RUN cat /secret
