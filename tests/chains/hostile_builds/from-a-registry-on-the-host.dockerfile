# Tries: pulls from the host's own address and its gateway.
# Holds: nobody connects there.
# Ends: failed
FROM %HOST%:%PORT%/x:latest AS one
FROM %GATEWAY%:%PORT%/x:latest
COPY --from=one / /
