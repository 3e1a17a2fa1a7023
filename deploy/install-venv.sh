#!/bin/sh
# Creates or updates the virtual environment of a checkout: install-venv.sh PYTHON DIRECTORY
set -eu
python=$1
venv=$2

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "curlew: $python is older than Python 3.11; name another: make PYTHON=python3.12 install" >&2
    exit 1
}
[ -x "$venv/bin/python" ] && [ -x "$venv/bin/pip" ] || "$python" -m venv --clear "$venv"
echo "curlew: installing Python packages into $venv" >&2
# This range of setuptools works for the build and for fs, which imports pkg_resources.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'setuptools>=77,<80.9' wheel
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[test]'
