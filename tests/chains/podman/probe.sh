#!/bin/sh
# Looks out of a step's container for anything that should not be within reach: 27 facts, a line each, `ok` or `not ok`.
# In a build (PLACE=build) root may write to its own files and keep its capabilities but those that rule: 22 facts.
# Only busybox is needed. READ_ONLY names the spaces under /mnt that may not be written; TOKEN=yes when SVC_TOKEN is expected.
good=0
bad=0

fact() { # fact <words> <command...>: holds when the command succeeds
    words=$1
    shift
    if "$@" >/dev/null 2>&1; then
        good=$((good + 1)); echo "ok $words"
    else
        bad=$((bad + 1)); echo "not ok $words"
    fi
}
of_a_step() { [ "$PLACE" = build ] || fact "$@"; }
of_a_build() { [ "$PLACE" != build ] || fact "$@"; }
never() { ! "$@"; }
is() { [ "$1" = "$2" ]; }
status() { awk -v field="$1:" '$1 == field { print $2 }' /proc/self/status; }
writes() { (echo probe >"$1") 2>/dev/null; }
first() { for file in "$@"; do [ -r "$file" ] && cat "$file" && return; done; }
a_number() { case $1 in '' | *[!0-9]*) return 1 ;; esac; [ ${#1} -lt 16 ]; }

devices() { for name in kmsg mem kvm fuse sda vda nvme0n1 loop0 dri; do [ -e "/dev/$name" ] && return 0; done; return 1; }
sockets() {
    for path in /run/podman/podman.sock /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock \
        /run/dbus/system_bus_socket /run/systemd/private; do
        [ -e "$path" ] && return 0
    done
    return 1
}
kcore_hidden() { [ -c /proc/kcore ] || [ ! -s /proc/kcore ]; }
sys_read_only() { awk '$2 == "/sys" && $4 ~ /(^|,)ro(,|$)/ { found = 1 } END { exit !found }' /proc/mounts; }
few_processes() { [ "$(ls /proc | grep -c '^[0-9]')" -le 12 ]; }
small_tmp() { size=$(df -k /tmp | awk 'END { print $2 }'); [ -n "$size" ] && [ "$size" -le 1048576 ]; }
secrets() { env | grep -qiE '^(DATABASE_URL|PG|SECRET|GUNICORN|CONTAINER_HOST|DOCKER_HOST|XDG_RUNTIME_DIR|AWS_)'; }
token_as_agreed() { if [ "$TOKEN" = yes ]; then [ -n "$SVC_TOKEN" ]; else [ -z "$SVC_TOKEN" ]; fi; }
spaces_kept() { for name in $READ_ONLY; do writes "/mnt/$name/.probe" && return 1; done; return 0; }
setuid_files() { find / -xdev -perm -4000 2>/dev/null | grep -q .; }

fact "root inside is nobody on the host" never is "$(awk 'NR == 1 { print $2 }' /proc/self/uid_map)" 0
of_a_step "the user is not root" never is "$(id -u)" 0
of_a_step "no capability is effective" is "$(status CapEff)" 0000000000000000
of_a_step "no capability can be had" is "$(status CapBnd)" 0000000000000000
of_a_build "no capability that rules is effective" is "$(status CapEff)" 00000000800005fb
of_a_build "no capability that rules can be had" is "$(status CapBnd)" 00000000800005fb
of_a_build "no process of the host is seen" never grep -q curlew /proc/1/cmdline
of_a_build "the base of all builds is not there" never writes /base/probe
fact "no new privileges" is "$(status NoNewPrivs)" 1
fact "system calls are filtered" is "$(status Seccomp)" 2
of_a_step "the root is read-only" never writes /probe
of_a_step "/etc is read-only" never writes /etc/probe
fact "no device of the host" never devices
fact "no control socket" never sockets
fact "/proc/sys cannot be written" never writes /proc/sys/kernel/core_pattern
fact "/proc/sysrq-trigger cannot be written" never writes /proc/sysrq-trigger
fact "/proc/kcore is hidden" kcore_hidden
fact "/sys is read-only" sys_read_only
fact "loopback is the only interface" is "$(ls /sys/class/net)" lo
fact "there is no route" is "$(awk 'NR > 1' /proc/net/route)" ""
of_a_step "no process of the host is seen" few_processes
fact "mounting is refused" never mount -t tmpfs none /mnt
fact "a new user namespace is refused" never unshare -U true
fact "making a device is refused" never mknod /tmp/device b 8 0
fact "processes are limited" a_number "$(first /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max)"
fact "memory is limited" a_number "$(first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)"
of_a_step "/tmp is small" small_tmp
fact "no secret of the service in the environment" never secrets
of_a_step "a token only when it was asked for" token_as_agreed
of_a_step "read-only spaces cannot be written" spaces_kept
fact "no set-user-id file" never setuid_files

echo "$good hold, $bad do not"
[ "$bad" = 0 ]
