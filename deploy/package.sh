#!/bin/sh
# Builds a Debian package for the Debian and the Python of this machine: package.sh PYTHON DIRECTORY
# It contains the libraries of the lock, so its installation downloads nothing, and runs deploy/install.sh.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
python=$1
install -d "$2"
target=$(cd "$2" && pwd)
. /etc/os-release
version=$(sed -n 's/^version = //p' "$here/setup.cfg")
next=$("$python" -c 'import sys; print("python3 (>= 3.{0}~), python3 (<< 3.{1}~)".format(*(sys.version_info[1] + n for n in (0, 1))))')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
share=$root/usr/share/curlew

install -d "$root/DEBIAN" "$root/usr/bin" "$share"
chmod 0755 "$root"
cp -r "$here/deploy" "$here/README.md" "$share"
mv "$share/deploy/curlew" "$root/usr/bin/curlew"
pip() { "$python" -m pip --quiet --disable-pip-version-check "$@"; }
pip download --require-hashes --dest "$share/wheels" -r "$here/deploy/requirements.lock" \
    -r "$here/deploy/dask/requirements.lock"
# Files of an earlier build would be included, even removed modules.
rm -rf "$here/build/lib" "$here"/build/bdist.*
pip wheel --no-deps --no-build-isolation --no-index --wheel-dir "$share/wheels" "$here"

cat >"$root/DEBIAN/control" <<END
Package: curlew
Version: $version+deb$VERSION_ID
Architecture: $(dpkg --print-architecture)
Maintainer: Curlew <root@localhost>
Section: web
Priority: optional
Depends: $("$here/deploy/install-packages.sh" list | sed 's/  */, /g'), $next, systemd, util-linux
Description: server on which everything is a file over HTTP
 Repos, jobs, plots, documents and mails as files that curl reads and writes.
END
cat >"$root/DEBIAN/postinst" <<'END'
#!/bin/sh
[ "$1" != configure ] || exec /usr/share/curlew/deploy/install.sh
END
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
[ "$1" != remove ] || exec /usr/share/curlew/deploy/uninstall.sh
END
# This script runs after the package's files were removed, so it includes uninstall.sh.
{
    printf '#!/bin/sh\n[ "$1" = purge ] || exit 0\nset -- --data\n'
    tail -n +2 "$here/deploy/uninstall.sh"
} >"$root/DEBIAN/postrm"
chmod 0755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$root" "$target" >&2
