# Tries: a process that stays puts links and another image where the result is taken from.
# Holds: what is taken is read without following links, and is this repo's.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw for root in /host /proc/1/root; do \
    (setsid sh -c "while true; do for d in $root/vol/out $root/out; do ln -sf %MARKER% \$d/index.json; ln -sfn %FOLDER% \$d/blobs; done; done" >/dev/null 2>&1 &) ; done; echo tried
RUN sleep 1
