#!/bin/sh
# Installs Curlew on this machine as two systemd services: run as root from a checkout; run again to update.
#   deploy/install.sh [--no-start]
set -eu

[ "$(id -u)" = 0 ] || {
    echo "curlew: run me as root" >&2
    exit 1
}
here=$(cd "$(dirname "$0")/.." && pwd)
home=/opt/curlew

CI=true "$here/deploy/install-packages.sh"

getent group curlew >/dev/null || groupadd --system curlew
getent passwd curlew >/dev/null ||
    useradd --system --gid curlew --home-dir /var/lib/curlew --shell /usr/sbin/nologin curlew

install -d -m 0755 "$home"
[ -x "$home/.venv/bin/python" ] || python3 -m venv "$home/.venv"
"$home/.venv/bin/python" -m pip install --quiet --upgrade "$here[podman]"
install -m 0644 "$here/README.md" "$home/README.md"

install -d -m 0700 -o curlew -g curlew /var/lib/curlew
[ -e /var/lib/curlew/curlew.toml ] ||
    install -m 0640 -o root -g curlew "$here/deploy/curlew.toml.example" /var/lib/curlew/curlew.toml
# What is installed may be seen from elsewhere one day: only the operator makes accounts, unless he says otherwise.
grep -q '^registration = ' /var/lib/curlew/curlew.toml ||
    sed -i 's/^# registration = .*/registration = "closed"/' /var/lib/curlew/curlew.toml
install -m 0644 "$here/deploy/curlew-web.service" "$here/deploy/curlew-runner.service" /etc/systemd/system/

# The key and the tables belong to the web's account, whichever service starts first.
setpriv --reuid curlew --regid curlew --init-groups "$home/.venv/bin/curlew" migrate --data /var/lib/curlew

[ "${1:-}" = --no-start ] || {
    systemctl daemon-reload
    systemctl enable curlew-web curlew-runner
    systemctl restart curlew-web curlew-runner
}
echo "curlew: installed; data and settings (curlew.toml) in /var/lib/curlew"
echo "curlew: the first account: sudo -u curlew $home/.venv/bin/curlew user add NAME --data /var/lib/curlew"
