# Tries: has the relay for apt connect to the host, to its networks, by names that lead there and to other ports.
# Holds: it passes on what is for the named hosts alone, and shows nothing of the way there.
# Copy: ask.py
# Ends: any
# Says: passed on by the proxy
# Says: tried
FROM python:3-slim
COPY ask.py /ask.py
RUN cat /etc/apt/apt.conf.d/99curlew; \
    python3 /ask.py 3142 "GET http://deb.debian.org/x" "GET http://127.0.0.1:%PORT%/" "GET http://127.0.0.1/" "GET http://localhost:%PORT%/" \
    "GET http://localhost/" "CONNECT localhost:443" "CONNECT localhost:%PORT%" "GET http://%HOST%:%PORT%/" "GET http://%GATEWAY%:%PORT%/" \
    "GET http://169.254.169.254/latest/" "GET http://[::1]:%PORT%/" "GET http://0x7f000001:%PORT%/" "GET http://2130706433:%PORT%/" \
    "CONNECT deb.debian.org:22" "CONNECT deb.debian.org:%PORT%" "GET http://deb.debian.org:%PORT%/" "CONNECT %HOST%:%PORT%" \
    "GET http://deb.debian.org@127.0.0.1:%PORT%/" "GET http://127.0.0.1:%PORT%#@deb.debian.org/" "GET http://deb.debian.org.:%PORT%/"
RUN python3 /ask.py 3142 "GET https://deb.debian.org/" "GET file://%MARKER%" "GET //127.0.0.1:%PORT%/" "GET /" "GET http://deb.debian.org/leave" \
    "POST http://deb.debian.org/" "GET http://deb.debian.org/endless" "CONNECT deb.debian.org:443" "HEAD http://deb.debian.org/x"
