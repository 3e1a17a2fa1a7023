#!/bin/sh
# Installs Curlew on this machine as four systemd services: run as root from a checkout; run again to update.
#   deploy/install.sh [--no-start]
# Where no systemd runs (an image that is built), services are enabled for its first boot. What fails before the services
# are stopped changes nothing. deploy/uninstall.sh takes it away again.
set -eu

[ "$(id -u)" = 0 ] || {
    echo "curlew: run me as root" >&2
    exit 1
}
here=$(cd "$(dirname "$0")/.." && pwd)
home=/opt/curlew
data=/var/lib/curlew
settings=/etc/curlew/curlew.toml
certificates=/etc/curlew/dask # where steps run on several hosts (curlew docs dask)
wheels=$here/wheels # there in a package alone
said() { printf 'curlew: %s\n' "$@" >&2; }

CI=true "$here/deploy/install-packages.sh"

getent group curlew >/dev/null || groupadd --system curlew
getent passwd curlew >/dev/null ||
    useradd --system --gid curlew --home-dir "$data" --shell /usr/sbin/nologin curlew
as_web() { setpriv --reuid curlew --regid curlew --init-groups "$@"; }

# A release has a folder of its own: what runs meanwhile keeps its files.
install -d -m 0755 "$home" "$home/releases"
release=$home/releases/$(date -u +%Y%m%dT%H%M%SZ)
trap 'rm -rf "$release"' EXIT
python3 -m venv "$release"
pip() { "$release/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
# Only what the lock names, file by file, setuptools first, as it builds what comes as source; then this program itself,
# which fetches nothing more.
sed -n '/^setuptools==/,/[^\\]$/p' "$here/deploy/requirements.lock" >"$release/setuptools.lock"
if [ -d "$wheels" ]; then
    set -- "$wheels"/curlew-*.whl "$@"
    export PIP_NO_INDEX=1 PIP_FIND_LINKS="$wheels"
else
    set -- "$here" "$@"
fi
pip install --require-hashes -r "$release/setuptools.lock"
pip install --require-hashes --no-build-isolation --use-pep517 -r "$here/deploy/requirements.lock"
[ ! -d "$certificates" ] || pip install --require-hashes --no-build-isolation -r "$here/deploy/dask/requirements.lock"
pip install --no-deps --no-build-isolation --no-index "$1"
shift
install -m 0644 "$here/README.md" "$home/README.md"

# The data folder is the web's. What root obeys, and what the runner works with, lies where root alone writes.
install -d -m 0700 -o curlew -g curlew "$data" "$data/render"
install -d -m 0711 -o root -g root /var/lib/curlew-runner
install -d -m 0750 -o root -g curlew /etc/curlew
[ ! -d "$certificates" ] || {
    # Whoever has the key may run any program on all workers as root.
    chown -hR root:root "$certificates"
    chmod -R u=rwX,go= "$certificates"
}
root_keeps() {
    chown root:curlew "$1.new"
    chmod 0640 "$1.new"
    mv "$1.new" "$1"
}

[ -e "$settings" ] || [ ! -e "$data/curlew.toml" ] || {
    said "look through $data/curlew.toml, which the web's account may have written, and move it to" \
        "$settings with data, runner_folder and key_file as deploy/install.sh sets them"
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
# What another host or an editor left, as root's alone or as everybody's.
for there in "$settings" /etc/curlew/key; do
    [ ! -f "$there" ] || {
        chown root:curlew "$there"
        chmod 0640 "$there"
    }
done
# What the units read, this reads too: it may name the database. One line a variable, as systemd takes it.
[ ! -f /etc/curlew/curlew.env ] || while IFS= read -r line || [ -n "$line" ]; do
    value=${line#*=}
    case $value in \"*\" | \'*\') value=${value#?} value=${value%?} ;; esac
    case $line in [A-Z]*=*) export "${line%%=*}=$value" ;; esac
done </etc/curlew/curlew.env
[ -e /etc/curlew/key ] || {
    umask 077
    as_web cat "$data/key" >/etc/curlew/key.new 2>/dev/null || head -c 32 /dev/urandom | base64 >/etc/curlew/key.new
    root_keeps /etc/curlew/key
    umask 022
}
setting() { "$release/bin/curlew" config show "$1" --config "$settings" | sed 's/^[^=]*= "\(.*\)"$/\1/'; }
# As the program finds it (handlers/processes/listening.py): systemd takes no names.
bind=$("$release/bin/python" - "$(setting bind)" <<'END'
import socket, sys
host, _, port = sys.argv[1].rpartition(":")
found = socket.getaddrinfo(host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
print("{}:{}".format(f"[{found[0][4][0]}]" if ":" in found[0][4][0] else found[0][4][0], port))
END
)
[ -n "$(setting mail_domain)" ] && mail=curlew-mail-in || mail=""
[ -n "$(setting metrics)" ] && figures=curlew-metrics || figures=""
services="curlew-web curlew-render curlew-runner $mail $figures"

switch() {
    # Until now it was a folder, or is the link to the release of before.
    [ -L "$home/.venv" ] || [ ! -e "$home/.venv" ] || mv "$home/.venv" "$home/releases/former-$$"
    ln -sfn "$release" "$home/.venv"
    trap - EXIT
    [ -d "$wheels" ] || install -m 0755 "$here/deploy/curlew" /usr/local/bin/curlew
}
# The tables belong to the web's account, whichever service starts first.
migrate() { as_web "$release/bin/curlew" migrate --copy --config "$settings"; }

# Until the new release is what runs, any failure puts the units of before back and starts what ran: a program of before may
# not tell systemd what the new units wait for, or may listen by itself.
units="curlew-web.socket curlew-web.service curlew-runner.service curlew-render.service curlew-mail-in.service curlew-metrics.service"
place=/etc/systemd/system
far_units="curlew-worker.service curlew-scheduler.service"
[ ! -d "$certificates" ] || units="$units $far_units"
before=$release/units-before
install -d "$before"
for unit in $units; do
    [ ! -e "$place/$unit" ] || cp -p "$place/$unit" "$before"
done
stopped=no
ran=""
as_it_was="database, program and units are as they were"
go_back() {
    trap - EXIT
    trap '' HUP INT TERM
    # A socket that stays keeps the requests that wait in it.
    [ "$stopped" = no ] || [ "$same_socket" = yes ] || systemctl stop curlew-web.socket curlew-web 2>/dev/null || true
    for unit in $units; do
        rm -f "$place/$unit"
        [ ! -e "$before/$unit" ] || cp -p "$before/$unit" "$place"
    done
    rm -rf "$release"
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
    [ "$stopped" = no ] || {
        systemctl stop curlew-web 2>/dev/null || true # one that waits for the lock has the new unit
        flock -u 9
        systemctl reset-failed 'curlew-*' 2>/dev/null || true
        # shellcheck disable=SC2086
        [ -z "$ran" ] || systemctl start $ran || true
    }
    said "nothing was updated: $as_it_was"
    exit 1
}
trap go_back EXIT
trap 'exit 1' HUP INT TERM
for unit in $units; do
    case $far_units in *"$unit"*) from=$here/deploy/dask ;; *) from=$here/deploy ;; esac
    [ "$unit" = curlew-web.socket ] || install -m 0644 "$from/$unit" "$place"
done
socket=$place/curlew-web.socket
sed "s|^ListenStream=.*|ListenStream=$bind|" "$here/deploy/curlew-web.socket" >"$release/curlew-web.socket"
cmp -s "$release/curlew-web.socket" "$socket" && same_socket=yes || same_socket=no
install -m 0644 "$release/curlew-web.socket" "$socket"

clean() {
    for old in "$home/releases"/*; do
        [ "$old" = "$release" ] || rm -rf "$old"
    done
}
enable() {
    systemctl --quiet disable curlew-mail-in curlew-metrics 2>/dev/null || true
    # shellcheck disable=SC2086
    systemctl --quiet enable curlew-web.socket $services
}

if [ "${1:-}" = --no-start ] || [ ! -d /run/systemd/system ]; then
    migrate
    switch
    [ "${1:-}" = --no-start ] || {
        enable
        clean
    }
    said "installed, nothing is started; data in $data, settings in $settings"
    exit 0
fi
why() {
    said "installed, but $1; its log says:"
    journalctl --no-pager --quiet --output cat --lines 20 --unit "$1" >&2 || true
    said "once that is mended:  systemctl reset-failed 'curlew-*'; systemctl start $services"
    exit 1
}

systemctl daemon-reload
# Nothing may write into the database while its tables change. Requests wait in the socket, and the web server, which they
# would start, waits for this lock (curlew-web.service).
# Only these two may hold it: whoever can open a file can lock it.
[ -e "$home/update.lock" ] || install -m 0640 -o root -g curlew /dev/null "$home/update.lock"
exec 9>"$home/update.lock"
flock 9
for unit in $units; do
    case $(systemctl is-active "$unit" || true) in active | activating | reloading) ran="$ran $unit" ;; esac
done
stopped=yes
systemctl stop curlew-runner curlew-render curlew-mail-in curlew-metrics
# A web server that listens by itself (of a release without the socket) closes its port at once and ends when its open
# requests have; only then can systemd open the socket.
systemctl stop curlew-web 2>/dev/null # systemd warns that the socket may start it
[ "$same_socket" = yes ] || systemctl stop curlew-web.socket curlew-web
systemctl start curlew-web.socket || {
    said "systemd cannot listen at $bind (bind in $settings); its log says:"
    journalctl --no-pager --quiet --output cat --lines 5 --unit curlew-web.socket >&2 || true
    exit 1
}
systemctl reset-failed 'curlew-*' 2>/dev/null || true
migrate
as_it_was="program and units are as they were; of the database there is a copy in $data/copies"
switch
flock -u 9
enable
for service in $services; do
    systemctl start "$service" || why "$service"
done
# A worker lets its steps end first, which the end of the scheduler would end, and begins under one of its own release.
worked=no
if systemctl --quiet is-active curlew-worker; then
    worked=yes
    systemctl stop curlew-worker
fi
[ ! -e "$place/curlew-scheduler.service" ] || systemctl try-restart curlew-scheduler || why curlew-scheduler
[ "$worked" = no ] || systemctl start curlew-worker || why curlew-worker
clean # by now nobody waits for it

# A service that was ready once may end again at once.
sleep 2
for service in $services; do
    systemctl --quiet is-active "$service" || why "$service"
done
host=${bind%:*}
case $host in "" | 0.0.0.0 | "[::]") host=127.0.0.1 ;; esac
ready=$(curl -sS --max-time 60 "http://$host:${bind##*:}/readyz" -H 'Accept: application/json') || why curlew-web
case $ready in
*'"status": "pass",'*) ;;
*) printf '%s\n' "$ready" >&2 ;;
esac
case $ready in
'{'*'"status": "fail",'*'"checks"'*)
    said "installed, but not ready: the lines above say why"
    exit 1
    ;;
esac
said "installed, and ready: $(echo $services); data in $data, settings in $settings" \
    "git over SSH, if you want it: $here/deploy/sshd-curlew.conf tells how" \
    "the first account: sudo curlew user add NAME"
