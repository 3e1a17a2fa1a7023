# Tries: begins with a private image by the name that the engine has for it.
# Holds: it is not there.
# Ends: failed
FROM localhost/curlew/%REPO%:main
RUN cat /secret
