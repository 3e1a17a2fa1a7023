#!/bin/sh
# Installs Curlew on this machine as four systemd services: run as root from a checkout; run again to update.
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
# Only what the lock names, file by file; then this program itself, which fetches nothing more.
"$home/.venv/bin/python" -m pip install --quiet --require-hashes -r "$here/deploy/requirements.lock"
"$home/.venv/bin/python" -m pip install --quiet --no-deps --no-build-isolation --no-index --force-reinstall "$here"
install -m 0644 "$here/README.md" "$home/README.md"

# The data folder is the web's. What root obeys, and what the runner works with, lies where root alone writes.
data=/var/lib/curlew
settings=/etc/curlew/curlew.toml
install -d -m 0700 -o curlew -g curlew "$data" "$data/render"
install -d -m 0711 -o root -g root /var/lib/curlew-runner
install -d -m 0750 -o root -g curlew /etc/curlew
as_web() { setpriv --reuid curlew --regid curlew --init-groups "$@"; }
root_keeps() {
    chown root:curlew "$1.new"
    chmod 0640 "$1.new"
    mv "$1.new" "$1"
}

[ -e "$settings" ] || [ ! -e "$data/curlew.toml" ] || {
    echo "curlew: look through $data/curlew.toml, which the web's account may have written, and move it to" >&2
    echo "curlew: $settings with data, runner_folder and key_file as deploy/install.sh sets them" >&2
    exit 1
}
[ -e "$settings" ] || {
    {
        printf 'data = "%s"\nrunner_folder = "/var/lib/curlew-runner"\nkey_file = "/etc/curlew/key"\n\n' "$data"
        # What is installed may be seen from elsewhere one day: only the operator makes accounts, unless he says otherwise.
        sed 's/^# registration = .*/registration = "closed"/' "$here/deploy/curlew.toml.example"
    } >"$settings.new"
    root_keeps "$settings"
}
[ -e /etc/curlew/key ] || {
    umask 077
    as_web cat "$data/key" >/etc/curlew/key.new 2>/dev/null || head -c 32 /dev/urandom | base64 >/etc/curlew/key.new
    root_keeps /etc/curlew/key
    umask 022
}
for unit in curlew-web curlew-runner curlew-render curlew-mail-in; do
    install -m 0644 "$here/deploy/$unit.service" /etc/systemd/system/
done

# The tables belong to the web's account, whichever service starts first.
as_web "$home/.venv/bin/curlew" migrate --config "$settings"

[ "${1:-}" = --no-start ] || {
    systemctl daemon-reload
    systemctl enable curlew-web curlew-runner curlew-render curlew-mail-in
    systemctl restart curlew-web curlew-runner curlew-render curlew-mail-in
}
echo "curlew: installed; data in $data, settings in $settings"
echo "curlew: git over SSH, if you want it: $here/deploy/sshd-curlew.conf tells how"
echo "curlew: the first account: sudo $home/.venv/bin/curlew user add NAME --config $settings"
