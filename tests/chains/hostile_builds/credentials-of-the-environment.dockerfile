# Tries: reads the environment of every process, and variables that builders fill in by themselves.
# Holds: nothing of the account that builds is in it.
# Ends: any
# Says: tried
ARG PIP_INDEX_URL
FROM python:3-slim
ARG HTTP_PROXY
ARG http_proxy
ARG HTTPS_PROXY
ARG PIP_INDEX_URL
ARG PLANTED_SECRET
ENV COPIED=$PLANTED_SECRET$HTTP_PROXY$http_proxy$PIP_INDEX_URL
RUN env; cat /proc/*/environ /proc/*/cmdline | tr '\0' '\n'; echo $HTTP_PROXY $http_proxy $HTTPS_PROXY $PIP_INDEX_URL; echo tried
