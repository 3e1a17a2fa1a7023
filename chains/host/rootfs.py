"""Images without a registry: the host's Python, or busybox only, in a folder that is imported."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO

from chains.host import image_accounts
from chains.host.config import PATH
from chains.host.debian_packages import PackageDatabase, fingerprint
from chains.host.debian_tree import choose_packages, debian_tree, lacking

BUSYBOX = Path("/bin/busybox")
BUSYBOX_ADVICE = "apt-get install busybox-static"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
LEFT_OUT = (
    *("test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip"),
    *("site-packages", "dist-packages", "config-*", "*.a", "*.opt-[12].pyc", "EXTERNALLY-MANAGED"),
)
RESOLVERS = ("libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2")
EXPECTED_BY_WHEELS = (
    *("libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libc.so.6", "libnsl.so.1"),
    *("libutil.so.1", "libpthread.so.0", "libresolv.so.2", "libz.so.1", "libexpat.so.1", "libgomp.so.1"),
    *("libX11.so.6", "libXext.so.6", "libXrender.so.1", "libICE.so.6", "libSM.so.6"),
    *("libglib-2.0.so.0", "libgobject-2.0.so.0", "libgthread-2.0.so.0"),
)
"""Libraries that wheels may expect of every system (PEP 513, 599, 600), except for libGL; with OpenMP's.

Copied programs need not be linked to them: the C library loads libgcc_s when a thread ends.
"""

EMPTY = (
    *("dev", "etc", "input", "mnt", "output", "proc", "root", "run", "sys"),
    *("tmp", "usr/bin", "usr/local/bin", "var/tmp"),
)
ZONES = "usr/share/zoneinfo"
PASSWD = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
PROBE = """
import importlib.util, json, os, site, ssl, sys, sysconfig
pip = importlib.util.find_spec("pip")
print(json.dumps({
    "executable": getattr(sys, "_base_executable", sys.executable),
    "prefix": sys.base_prefix,
    "version": "python%d.%d" % sys.version_info[:2],
    "stdlib": sysconfig.get_path("stdlib"),
    "packages": site.getsitepackages(),
    "authorities": ssl.get_default_verify_paths().openssl_cafile,
    "pip": os.path.dirname(pip.origin) if pip else None,
}))
"""

Fill = Callable[[Path], list[str] | None]
"""A function that puts files into an empty folder, and returns the host's files to copy unchanged."""


class ImageUnmade(Exception):
    """A base image could not be made on this host; `str()` gives the reason and what to do."""


@dataclass(frozen=True, slots=True)
class PythonInstallation:
    """A Python installation of the host: what to copy, and its paths."""

    executable: Path
    prefix: Path
    version: str
    stdlib: Path
    packages: Path
    authorities: Path
    pip: Path | None

    @classmethod
    def at(cls, executable: Path) -> PythonInstallation:
        """Return the installation of `executable`, also through a virtual environment. Raises ImageUnmade."""
        asked = _probe(executable)
        found = _probe(Path(asked["executable"]))
        pip = found["pip"] or asked["pip"]
        return cls(
            executable=Path(found["executable"]).resolve(),
            prefix=Path(found["prefix"]),
            version=found["version"],
            stdlib=Path(found["stdlib"]),
            packages=Path(found["packages"][0]),
            authorities=Path(found["authorities"]),
            pip=Path(pip) if pip else None,
        )

    def image_path(self, path: Path) -> Path:
        """Return the path of `path` in the image: Debian's Python stays in /usr, where its rules apply."""
        if self.prefix == Path("/usr"):
            return path
        return Path("/usr/local") / path.relative_to(self.prefix)


def busybox_tree(root: Path) -> None:
    """Make in `root` the files for a shell script: busybox with all its names, the folders of a system."""
    for name in EMPTY:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("tmp", "var/tmp"):
        (root / name).chmod(0o1777)
    (root / "etc/passwd").write_text(PASSWD)
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    if not BUSYBOX.exists():
        raise ImageUnmade(f"{BUSYBOX}, the shell of images made here, is missing: {BUSYBOX_ADVICE}")
    _copy(root, BUSYBOX)
    applets = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout
    for applet in applets.split():
        link = root / "bin" / applet
        if not link.exists():
            link.symlink_to("busybox")


def python_tree(root: Path, python: PythonInstallation) -> None:
    """Make a small system in `root`: the host's interpreter, library, pip, certificates, time zones."""
    busybox_tree(root)
    executable = _inside(root, python.image_path(python.prefix / "bin" / python.version))
    _copy(root, python.executable, executable)
    for name in ("python3", "python"):
        link = executable.with_name(name)
        link.unlink(missing_ok=True)
        link.symlink_to(python.version)
    stdlib = _inside(root, python.image_path(python.stdlib))
    shutil.copytree(python.stdlib, stdlib, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    packages = _inside(root, python.image_path(python.packages))
    packages.mkdir(parents=True, exist_ok=True)
    if python.pip:
        _add_pip(root, python, packages, executable)
    _add_account_programs(root, executable)
    authorities = _inside(root, python.authorities)
    authorities.parent.mkdir(parents=True, exist_ok=True)
    if python.authorities != CERTIFICATES:
        authorities.symlink_to(CERTIFICATES)
    extensions = stdlib.glob("lib-dynload/*.so")
    loaded = [*_wheel_libraries(), *_resolvers()]
    for library in {*_libraries([python.executable, *extensions, *loaded]), *loaded, CERTIFICATES}:
        if library.exists():
            _copy(root, library)
    # Those of the package, which this Python has on every host.
    zones = Path(str(files("tzdata") / "zoneinfo"))
    shutil.copytree(zones, root / ZONES, ignore=shutil.ignore_patterns("*.py", "__pycache__"))


def add_programs(root: Path, programs: Iterable[Path], files: Iterable[Path]) -> None:
    """Add programs of the host with their libraries, and other files, at the same paths."""
    wanted = [path.resolve() for path in programs]
    for path in {*wanted, *files, *_libraries(wanted), *_resolvers()}:
        if path.exists():
            _copy(root, path)


def make_image(reference: str, fill: Fill, settings: Iterable[str], environ: Mapping[str, str]) -> None:
    """Import the files of `fill` as the image `reference`, with `settings` in Dockerfile syntax.

    `environ` selects the store for `podman`. Raises ImageUnmade.
    """
    with tempfile.TemporaryDirectory(prefix="curlew-image-") as name, tempfile.TemporaryFile() as listed:
        try:
            paths = fill(Path(name)) or ()
            listed.write(b"".join(os.fsencode(path.lstrip("/")) + b"\0" for path in paths))
            listed.seek(0)
            _import(Path(name), listed, reference, settings, environ)
        except OSError as error:
            raise ImageUnmade(f"{reference} cannot be made: {error}") from error


def _import(
    root: Path, listed: IO[bytes], reference: str, settings: Iterable[str], environ: Mapping[str, str]
) -> None:
    # No setuid or setgid files in a base image.
    pack = ["tar", "--create", "--numeric-owner", "--owner=0", "--group=0", "--mode=ug-s"]
    pack += [f"--directory={root}", ".", "--directory=/", "--no-recursion", "--null", "--files-from=-"]
    # One -c for each: several settings in one would become the first one's value.
    changes = [part for setting in settings for part in ("-c", setting)]
    command = ["podman", "import", "-q", *changes, "-", reference]
    with subprocess.Popen(pack, stdin=listed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as packer:
        done = subprocess.run(command, stdin=packer.stdout, capture_output=True, env=environ, check=False)
        _, trouble = packer.communicate()
    if done.returncode or packer.returncode:
        said = (done.stderr + trouble).decode(errors="replace").strip()
        raise ImageUnmade(f"Podman cannot import {reference}: {said}")


def _probe(executable: Path) -> dict[str, str]:
    try:
        done = subprocess.run([executable, "-I", "-c", PROBE], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ImageUnmade(
            f"{executable} is not a Python that could be copied into an image: {error}"
        ) from error
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _add_pip(root: Path, python: PythonInstallation, packages: Path, executable: Path) -> None:
    assert python.pip
    shutil.copytree(
        python.pip, packages / "pip", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    wheels = Path("/usr/share/python-wheels")
    vendored = python.pip / "_vendor" / "requests"
    if not vendored.exists() and wheels.is_dir():
        shutil.copytree(wheels, _inside(root, wheels), dirs_exist_ok=True)
    interpreter = "/" + str(executable.relative_to(root))
    for name in ("pip", "pip3"):
        script = executable.with_name(name)
        script.write_text(
            f"#!{interpreter}\nimport sys\nfrom pip._internal.cli.main import main\nsys.exit(main())\n"
        )
        script.chmod(0o755)


def _add_account_programs(root: Path, executable: Path) -> None:
    source = Path(image_accounts.__file__).read_text()
    for name in image_accounts.PROGRAMS:
        script = root / "usr/local/sbin" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"#!/{executable.relative_to(root)} -I\n{source}\n\nsys.exit(main(sys.argv))\n")
        script.chmod(0o755)


def _libraries(binaries: Iterable[Path]) -> Iterator[Path]:
    """Yield the shared libraries that `binaries` need, with the loader."""
    command = ["ldd", *map(str, binaries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"LC_ALL": "C"})
    found = (line.partition(" (0x")[0].split() for line in done.stdout.splitlines() if " (0x" in line)
    yield from {Path(words[-1]) for words in found if words[-1].startswith("/") and ".so" in words[-1]}


def _wheel_libraries() -> list[Path]:
    """Return the libraries that wheels expect, if the host has them (ldconfig(8))."""
    done = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    own = {path.parent for path in _libraries([Path("/bin/sh")])}
    found = (Path(path) for path in re.findall(r"=> (/\S+)", done.stdout))
    return [path for path in found if path.name in EXPECTED_BY_WHEELS and path.parent in own]


def _resolvers() -> Iterator[Path]:
    """Yield libraries that the C library loads by name to resolve host names."""
    for library in {path.parent for path in _libraries([Path("/bin/sh")]) if path.name.startswith("libc.")}:
        yield from (library / name for name in RESOLVERS)


def _inside(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _copy(root: Path, source: Path, target: Path | None = None) -> None:
    target = target or _inside(root, source)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(os.path.realpath(source), target)


BASE_LABEL, MADE_BY = "curlew.base", 3
"""Version of the way to make the base image: images made by another version are made again."""

SETTINGS = (f"ENV PATH={PATH}", "ENV LANG=C.UTF-8", "ENV PYTHONUNBUFFERED=1", 'CMD ["python3"]')


@dataclass(frozen=True, slots=True)
class ImageRecipe:
    """A way to make a base image: the function that makes its files, and its `source`.

    `mark` changes when its parts change, `lacking` are the packages without which it has only Python.
    """

    fill: Fill
    source: str
    mark: str
    lacking: Sequence[str] = ()

    @property
    def settings(self) -> list[str]:
        """The image's settings, including its label."""
        return [*SETTINGS, f"LABEL {BASE_LABEL}={self.mark}"]

    @property
    def advice(self) -> str:
        """The command that makes a better base image possible; empty if there is none."""
        return f"apt-get install {' '.join(self.lacking)}, and start again" if self.lacking else ""

    @classmethod
    def of_host(cls, python: Path, packages: Path) -> ImageRecipe:
        """Choose the recipe for this host.

        It uses the Debian packages in the database `packages` if none is missing, else `python`.
        """
        database = PackageDatabase(packages)
        missing = lacking(database)
        if not missing:
            found = choose_packages(database)
            source = f"{len(found)} Debian packages of this machine"
            return cls(lambda root: debian_tree(root, database), source, f"{MADE_BY}-{fingerprint(found)}")
        mark = f"{MADE_BY}-python-{python.stat().st_mtime_ns if python.exists() else 0}"
        return cls(
            lambda root: python_tree(root, PythonInstallation.at(python)),
            f"the Python of this machine, {python}",
            mark,
            missing if "dpkg" in database else (),
        )
