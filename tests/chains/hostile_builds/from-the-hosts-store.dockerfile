# Tries: names the store of the host and a private image in it.
# Holds: the box has no such store.
# Ends: failed
FROM containers-storage:[overlay@%STORE%+%STORE%/run]localhost/curlew/%REPO%:main
RUN cat /secret
