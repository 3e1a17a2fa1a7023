#!/bin/sh
# Installs the system packages that Curlew needs, if this account may do so; otherwise prints the missing ones.
#   install-packages.sh           for running Curlew: Python's venv, git, curl, Podman
#   install-packages.sh list      prints these packages, and installs nothing
#   install-packages.sh test      also for the tests: PostgreSQL's server, Chromium for pages, nginx, OpenSSH, LibreOffice to
#                               open presentations, systemd to check units, a registry of images, promtool of Prometheus
#                               to test alerts, and litmus, rclone and cadaver to open drives
#   install-packages.sh bench     also for the benchmark: nginx and PostgreSQL for comparison, wrk as the client
#   install-packages.sh boot      for tests on a machine that boots: systemd-nspawn, mmdebstrap
# With CI=true the script fails if a package cannot be installed.
set -eu

packages="ca-certificates curl git python3 python3-venv"
# Further parts of the base image: libraries that wheels expect on every system.
packages="$packages python3-pip tzdata libgomp1 libstdc++6 libsm6 libxext6 libxrender1"
packages="$packages podman crun runc netavark iproute2 dnsmasq-base iptables catatonit busybox-static"
packages="$packages buildah e2fsprogs mount"
# Layout of documents, and fonts for scripts that the bundled fonts lack.
packages="$packages libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-noto-core"
# Fonts for Chinese, Japanese, Korean and emoji (100 MB). Without them pictures and documents show boxes.
packages="$packages fonts-noto-cjk fonts-noto-color-emoji"
programs="curl git python3 podman buildah"
if [ "${1:-}" = list ]; then
    echo "$packages"
    exit 0
elif [ "${1:-}" = test ]; then
    packages="$packages postgresql chromium fonts-dejavu-core nginx-light libreoffice-impress openssh-server openssh-client"
    packages="$packages systemd docker-registry skopeo prometheus prometheus-blackbox-exporter litmus rclone cadaver"
    programs="$programs initdb chromium nginx soffice ssh sshd systemd-analyze docker-registry skopeo promtool prometheus-blackbox-exporter litmus rclone cadaver"
elif [ "${1:-}" = boot ]; then
    packages="$packages systemd-container mmdebstrap debian-archive-keyring"
    programs="$programs systemd-nspawn mmdebstrap"
elif [ "${1:-}" = bench ]; then
    packages="$packages postgresql nginx-light wrk"
    programs="$programs initdb nginx wrk"
fi

missing_programs() {
    for program in $programs; do
        command -v "$program" >/dev/null || ls /usr/lib/postgresql/*/bin/"$program" >/dev/null 2>&1 || printf ' %s' "$program"
    done
}

refuse() {
    echo "curlew: $1" >&2
    if [ "${CI:-}" = true ]; then exit 1; fi
    exit 0
}

if ! command -v apt-get >/dev/null; then
    missing=$(missing_programs)
    [ -z "$missing" ] || refuse "this system has no apt-get; install these programs yourself:$missing"
    exit 0
fi

missing=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root="env"
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
else
    refuse "missing system packages; as root run: apt-get install --no-install-recommends$missing"
fi

echo "curlew: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null >"$log" 2>&1 || {
        cat "$log" >&2
        refuse "apt-get $1 failed"
    }
}
apt update
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
