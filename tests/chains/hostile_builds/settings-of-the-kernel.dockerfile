# Tries: writes where the kernel takes orders.
# Holds: nothing can be written.
# Ends: any
# Says: tried
FROM python:3-slim
RUN for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/overcommit_memory /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/release_agent /sys/fs/cgroup/memory/memory.limit_in_bytes; do \
    (echo "|%FOLDER%/written" > $f) 2>/dev/null && echo "WROTE $f"; done; for d in mem kmsg kcore sda loop0 loop-control fuse kvm; do [ -e /dev/$d ] && echo "SAW $d"; done; echo tried
