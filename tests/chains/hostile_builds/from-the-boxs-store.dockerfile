# Tries: names a private image by the transport of the box's own store.
# Holds: it is not there.
# Ends: failed
FROM containers-storage:localhost/curlew/%REPO%:main
RUN cat /secret
