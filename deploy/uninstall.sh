#!/bin/sh
# Removes Curlew from this machine: services, program and command. Run it as root.
#   deploy/uninstall.sh            keeps data, settings, keys and the account for a later installation
#   deploy/uninstall.sh --data     removes these, too, permanently
set -eu

[ "$(id -u)" = 0 ] || {
    echo "curlew: run this script as root" >&2
    exit 1
}
[ $# = 0 ] || [ "$*" = --data ] || {
    echo "curlew: --data is the only option: it removes the data, too" >&2
    exit 2
}
units="curlew-web.socket curlew-web.service curlew-runner.service curlew-render.service curlew-mail-in.service curlew-metrics.service curlew-worker.service curlew-scheduler.service"

if [ -d /run/systemd/system ]; then
    # shellcheck disable=SC2086
    systemctl --quiet disable --now $units 2>/dev/null || true
fi
for unit in $units; do
    rm -f "/etc/systemd/system/$unit"
done
[ ! -d /run/systemd/system ] || systemctl daemon-reload
rm -rf /opt/curlew
rm -f /usr/local/bin/curlew

if [ "${1:-}" = --data ]; then
    # First unmount the runner's file systems with the records of containers.
    sed -n 's|^[^ ]* \(/var/lib/curlew-runner/[^ ]*\) .*|\1|p' /proc/mounts | sort -r | while read -r place; do
        umount "$place"
    done
    rm -rf --one-file-system /var/lib/curlew /var/lib/curlew-runner /etc/curlew
    ! getent passwd curlew >/dev/null || userdel curlew
    ! getent group curlew >/dev/null || groupdel curlew
    echo "curlew: removed with all data" >&2
else
    echo "curlew: removed; data in /var/lib/curlew, /var/lib/curlew-runner and /etc/curlew are kept" >&2
fi
