#!/bin/sh
# Installs Curlew on this machine as systemd services. Run it as root from a checkout; run it again to update.
#   deploy/install.sh [--no-start]
# If systemd does not run (while an image is built), services are enabled for the first boot. A failure before the services
# are stopped changes nothing. deploy/uninstall.sh removes Curlew.
set -eu

[ "$(id -u)" = 0 ] || {
    echo "curlew: run this script as root" >&2
    exit 1
}
here=$(cd "$(dirname "$0")/.." && pwd)
home=/opt/curlew
data=/var/lib/curlew
settings=/etc/curlew/curlew.toml
certificates=/etc/curlew/dask # exists if steps run on several hosts (curlew docs dask)
wheels=$here/wheels # exists only in a Debian package
said() { printf 'curlew: %s\n' "$@" >&2; }

CI=true "$here/deploy/install-packages.sh"

getent group curlew >/dev/null || groupadd --system curlew
getent passwd curlew >/dev/null ||
    useradd --system --gid curlew --home-dir "$data" --shell /usr/sbin/nologin curlew
as_web() { setpriv --reuid curlew --regid curlew --init-groups "$@"; }

# Each release has a separate folder, so that running processes keep their files.
install -d -m 0755 "$home" "$home/releases"
release=$home/releases/$(date -u +%Y%m%dT%H%M%SZ)
trap 'rm -rf "$release"' EXIT
python3 -m venv "$release"
pip() { "$release/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
# Only files with the digests in the lock are installed: setuptools first, because it builds source packages, then the
# others, then this program, without further downloads.
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

# The data folder belongs to the web's account. Settings, and files of the runner, are in folders that only root can write.
install -d -m 0700 -o curlew -g curlew "$data" "$data/render"
install -d -m 0711 -o root -g root /var/lib/curlew-runner
install -d -m 0750 -o root -g curlew /etc/curlew
[ ! -d "$certificates" ] || {
    # This key allows its holder to run any program on all workers as root.
    chown -hR root:root "$certificates"
    chmod -R u=rwX,go= "$certificates"
}
root_keeps() {
    chown root:curlew "$1.new"
    chmod 0640 "$1.new"
    mv "$1.new" "$1"
}

[ -e "$settings" ] || [ ! -e "$data/curlew.toml" ] || {
    said "check $data/curlew.toml, which the web's account may have changed, and move it to" \
        "$settings with data, runner_folder and key_file as in deploy/install.sh"
    exit 1
}
[ -e "$settings" ] || {
    {
        printf 'data = "%s"\nrunner_folder = "/var/lib/curlew-runner"\nkey_file = "/etc/curlew/key"\n\n' "$data"
        # The service may become public later: only the operator creates accounts, unless the settings are changed.
        sed 's/^# registration = .*/registration = "closed"/' "$here/deploy/curlew.toml.example"
    } >"$settings.new"
    root_keeps "$settings"
}
# A copy from another host or an editor may have left these files readable only for root, or for everybody.
for there in "$settings" /etc/curlew/key; do
    [ ! -f "$there" ] || {
        chown root:curlew "$there"
        chmod 0640 "$there"
    }
done
# The environment file of the units, which may name the database: one variable per line, as systemd reads it.
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
# The address, as the program resolves it (handlers/processes/listening.py): systemd accepts no host names.
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
    # It is a link to the previous release, or a folder of an old release.
    [ -L "$home/.venv" ] || [ ! -e "$home/.venv" ] || mv "$home/.venv" "$home/releases/former-$$"
    ln -sfn "$release" "$home/.venv"
    trap - EXIT
    [ -d "$wheels" ] || install -m 0755 "$here/deploy/curlew" /usr/local/bin/curlew
}
# Run as the web's account, so that the tables always belong to it.
migrate() { as_web "$release/bin/curlew" migrate --copy --config "$settings"; }

# Until the new release runs, any failure restores the previous units and starts the services that ran: the previous program
# may not send the notifications for which the new units wait, or may open its port itself.
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
as_it_was="database, program and units are unchanged"
go_back() {
    trap - EXIT
    trap '' HUP INT TERM
    # An unchanged socket stays, with the requests that wait in it.
    [ "$stopped" = no ] || [ "$same_socket" = yes ] || systemctl stop curlew-web.socket curlew-web 2>/dev/null || true
    for unit in $units; do
        rm -f "$place/$unit"
        [ ! -e "$before/$unit" ] || cp -p "$before/$unit" "$place"
    done
    rm -rf "$release"
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
    [ "$stopped" = no ] || {
        systemctl stop curlew-web 2>/dev/null || true # a process that waits for the lock has the new unit
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
    said "correct the problem, then run:  systemctl reset-failed 'curlew-*'; systemctl start $services"
    exit 1
}

systemctl daemon-reload
# Nothing may write to the database while its tables change. Requests wait in the socket, and the web server, which they
# would start, waits for this lock (curlew-web.service).
# Only root and this group can open the file, because everyone who can open a file can lock it.
[ -e "$home/update.lock" ] || install -m 0640 -o root -g curlew /dev/null "$home/update.lock"
exec 9>"$home/update.lock"
flock 9
for unit in $units; do
    case $(systemctl is-active "$unit" || true) in active | activating | reloading) ran="$ran $unit" ;; esac
done
stopped=yes
systemctl stop curlew-runner curlew-render curlew-mail-in curlew-metrics
# A web server that opened its port itself (a release without the socket) closes the port at once, and ends after its open
# requests. Only then can systemd open the socket.
systemctl stop curlew-web 2>/dev/null # systemd warns that the socket may start it
[ "$same_socket" = yes ] || systemctl stop curlew-web.socket curlew-web
systemctl start curlew-web.socket || {
    said "systemd cannot listen at $bind (bind in $settings); its log says:"
    journalctl --no-pager --quiet --output cat --lines 5 --unit curlew-web.socket >&2 || true
    exit 1
}
systemctl reset-failed 'curlew-*' 2>/dev/null || true
migrate
as_it_was="program and units are unchanged; a copy of the database is in $data/copies"
switch
flock -u 9
enable
for service in $services; do
    systemctl start "$service" || why "$service"
done
# The worker stops first, and waits for its steps, which a stop of the scheduler would end. Then both start in one release.
worked=no
if systemctl --quiet is-active curlew-worker; then
    worked=yes
    systemctl stop curlew-worker
fi
[ ! -e "$place/curlew-scheduler.service" ] || systemctl try-restart curlew-scheduler || why curlew-scheduler
[ "$worked" = no ] || systemctl start curlew-worker || why curlew-worker
clean # by now no process uses an old release

# A service may end right after it was ready.
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
    "for git over SSH, see $here/deploy/sshd-curlew.conf" \
    "create the first account: sudo curlew user add NAME"
