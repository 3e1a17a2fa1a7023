# Tries: asks the index of packages for what it has no business with, by links, redirects and odd paths.
# Holds: it answers pages and files of its source, and no credential, address or other server of the host.
# Copy: ask.py
# Ends: any
# Says: /file/0/probe-1.0.tar.gz
# Says: tried
FROM python:3-slim
COPY ask.py /ask.py
RUN cat /etc/pip.conf /proc/self/environ /proc/*/cmdline; env; \
    python3 /ask.py 3141 "GET /simple/probe/" "GET /file/0/x" "GET /file/1/x" "GET /file/2/x" "GET /file/3/x" "GET /file/4/x" \
    "GET /simple/../" "GET /simple/%2e%2e/" "GET /simple/probe/../../f" "GET //127.0.0.1:%PORT%/" "GET http://127.0.0.1:%PORT%/" \
    "GET @127.0.0.1:%PORT%/" "GET /simple/probe@127.0.0.1:%PORT%/" "GET file://%MARKER%" "GET /file/-1/x" "GET /file/99999999999/x" \
    "CONNECT 127.0.0.1:%PORT%" "CONNECT %HOST%:22" "POST /simple/probe/" "PUT /x" "TRACE /" "OPTIONS *" "HEAD /simple/probe/"
RUN python3 -m pip download --no-deps --timeout 2 --retries 0 -vvv probe; python3 -m pip config list -v; env; echo tried
