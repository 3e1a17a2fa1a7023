# Tries: mounts, and mounts anew what is read-only.
# Holds: the host's file systems stay as they are.
# Ends: any
# Says: tried
FROM python:3-slim
RUN mkdir -p /m; mount -t ext4 /dev/sda1 /m; mount -t ext4 /dev/loop0 /m; mount -o remount,rw /; mount --bind /proc/1/root /m && cat /m%MARKER%; \
    for p in /proc/[0-9]*; do for d in base etc/containers etc; do mount -o remount,rw,bind $p/root/$d; echo written > $p/root/$d/written; done; done; \
    mount -t cgroup none /m; mount -t devtmpfs none /m && cat /m/kmsg; mount -t debugfs none /m; echo tried
