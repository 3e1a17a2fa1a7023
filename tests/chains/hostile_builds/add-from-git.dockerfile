# Tries: has the builder clone from the host, with options in the address.
# Holds: nobody connects there, and no program of the host is called.
# Ends: failed
FROM python:3-slim
ADD http://127.0.0.1:%PORT%/secret.git#main:../../.. /stolen
ADD ssh://-oProxyCommand=sh@127.0.0.1/x.git /stolen2
