# Tries: pulls from a port of the host.
# Holds: nobody connects there.
# Ends: failed
FROM docker://127.0.0.1:%PORT%/x:latest
