# Tries: has the builder fetch from loopback by IPv6, by an address in it, and by numbers in other clothes.
# Holds: nobody connects there.
# Ends: failed
FROM python:3-slim
ADD http://[::1]:%PORT%/secret http://[::ffff:127.0.0.1]:%PORT%/secret http://2130706433:%PORT%/secret http://localhost:%PORT%/secret /stolen/
