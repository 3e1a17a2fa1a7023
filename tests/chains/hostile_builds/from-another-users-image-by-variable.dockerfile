# Tries: puts the name of a private image together out of variables.
# Holds: it is not there.
# Ends: failed
ARG WHERE=curlew
ARG NUMBER=%REPO%
FROM localhost/${WHERE}/${NUMBER:-1}:main
RUN cat /secret
