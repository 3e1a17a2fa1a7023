# Tries: writes to the store of the base image, which every build begins with.
# Holds: it cannot be written, and others build as before.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw for root in /host /proc/1/root; do mount -o remount,rw $root/base; \
    mount -o remount,rw,bind $root/base; touch $root/base/written; for f in $(find $root/base -name sitecustomize.py -o -name os.py); do echo 'print("poisoned")' >> $f; done; done; echo tried
