# Tries: reads where builders keep the credentials of registries.
# Holds: there are none.
# Ends: any
# Says: tried
FROM python:3-slim
RUN for root in "" /proc/1/root /proc/*/root; do cat $root/run/containers/0/auth.json $root/root/.docker/config.json $root/etc/containers/auth.json; done 2>/dev/null; echo tried
