"""The files of a small Debian, copied from this host's packages, without files of the host itself.

Files that belong to a system are written: accounts, package archives, results of package scripts.
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.host.debian_packages import DATABASE, DebianPackage, PackageDatabase

NEEDED = (
    *("apt", "bash", "ca-certificates", "coreutils", "dpkg", "libgcc-s1", "libgomp1", "libstdc++6"),
    *("python3", "python3-pip", "python3-venv", "tzdata"),
)
"""Packages that such an image needs, besides the essential ones."""

WELCOME = (
    *("curl", "git", "media-types", "netbase"),
    *("libglib2.0-0", "libglib2.0-0t64", "libice6", "libsm6", "libx11-6", "libxext6", "libxrender1"),
)
"""Packages that are copied if the host has them: libraries that wheels may expect (PEP 599), except for
libGL, whose drivers are as large as all the others.
"""

LEFT_OUT = (
    *("/usr/share/doc/*", "/usr/share/groff/*", "/usr/share/info/*", "/usr/share/linda/*"),
    *("/usr/share/lintian/*", "/usr/share/locale/*", "/usr/share/man/*"),
    "/usr/lib/python3*/EXTERNALLY-MANAGED",
)
KEPT = ("/usr/share/doc/*/copyright",)
"""Patterns of dpkg (path-exclude), which also apply in the image: pip may install next to packages."""

_LEFT_OUT, _KEPT = (re.compile("|".join(map(fnmatch.translate, many))) for many in (LEFT_OUT, KEPT))
_FOR_LINKER = re.compile(r"/(usr/)?lib(/[^/]+-linux-[^/]+)?/[^/]+\.so(\.[^/]+)?|/etc/ld\.so\.conf(\.d/.*)?")

FOLDERS = (
    *("dev", "etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d", "etc/dpkg/dpkg.cfg.d"),
    *("input", "mnt", "output", "proc", "run", "sys", "usr/local/bin", "usr/local/lib", "usr/local/sbin"),
    *("usr/local/share/ca-certificates", "var/cache/apt/archives/partial", "var/lib/apt/lists/partial"),
    *("tmp", "usr/sbin", "var/lib/dpkg/alternatives", "var/lib/dpkg/info", "var/lib/dpkg/parts"),
    *("var/lib/dpkg/triggers", "var/lib/dpkg/updates", "var/log/apt", "var/tmp"),
    # Scripts of packages make links to manuals there, though the manuals are left out.
    *(f"usr/share/man/man{section}" for section in range(1, 9)),
)
EMPTY_FILES = ("available", "statoverride", "triggers/Lock", "triggers/Unincorp")
CERTIFICATES = "etc/ssl/certs"
ARCHIVES = {
    "debian": (
        ("http://deb.debian.org/debian", "{0} {0}-updates", "main"),
        ("http://deb.debian.org/debian-security", "{0}-security", "main"),
    ),
    "ubuntu": (
        ("http://{1}.ubuntu.com/{2}", "{0} {0}-updates", "main universe"),
        ("http://{3}.ubuntu.com/{2}", "{0}-security", "main universe"),
    ),
}
"""Archives of a release by the system's name (os-release(5)): address, suites, components."""

TRADITIONAL = ("amd64", "i386")
"""The architectures that Ubuntu keeps on its main archive."""

PAM = ("auth", "account", "password", "session", "session-noninteractive")
PROFILES = {"etc/profile": "profile", "root/.bashrc": "dot.bashrc", "root/.profile": "dot.profile"}
ACCOUNTS = "_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n"


def lacking(database: PackageDatabase) -> list[str]:
    """Return the packages that an image needs and that are not installed."""
    return [name for name in NEEDED if name not in database]


def choose_packages(database: PackageDatabase) -> list[DebianPackage]:
    """Return the packages of an image."""
    return database.closure([*NEEDED, *WELCOME])


def debian_tree(root: Path, database: PackageDatabase) -> list[str]:
    """Make the files of a small Debian in `root`; return those to copy from the host. Raises OSError."""
    packages = choose_packages(database)
    diverted = Diversions(database, packages)
    files = _files(database, packages, diverted)
    for name in FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("tmp", "var/tmp"):
        (root / name).chmod(0o1777)
    _write_database(root, database, packages, diverted)
    _write_system(root, packages)
    _copy_certificates(root, files)
    _link_alternatives(root, database, files)
    # Files with another path on the host, and files from which the linker's cache is made, are copied here.
    for target, source in files.items():
        if source != target or _FOR_LINKER.fullmatch(target):
            place = root / target[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.isdir(source):
                shutil.copy2(source, place, follow_symlinks=False)
    subprocess.run(["/sbin/ldconfig", "-r", root], capture_output=True, check=False)
    for path in files:
        if (root / path[1:]).is_dir():
            (root / path[1:]).chmod(os.stat(path).st_mode & 0o1777)
    return [path for path in files if not os.path.lexists(root / path[1:])]


class Diversions:
    """Paths of files that another package has diverted."""

    def __init__(self, database: PackageDatabase, packages: Iterable[DebianPackage]) -> None:
        names = {package.name for package in packages}
        every = database.diversions()
        self.kept = [line for line in every if line[2] in names]
        self._on_host = {path: (to, by) for path, to, by in every}
        self._inside = {path: (to, by) for path, to, by in self.kept}

    def places(self, path: str, package: DebianPackage) -> tuple[str, str]:
        """Return the path of a package's file on the host, and in the image."""
        (there, by), (here, also_by) = self._on_host.get(path, (path, "")), self._inside.get(path, (path, ""))
        return path if by == package.name else there, path if also_by == package.name else here


def _files(
    database: PackageDatabase, packages: Iterable[DebianPackage], diverted: Diversions
) -> dict[str, str]:
    """Return the path of each file of some packages on the host, by its path in the image; folders first."""
    found = dict[str, str]()
    tag = next("".join(one.version.split(".")[:2]) for one in packages if one.name == "python3")

    def add(source: str, target: str) -> None:
        if os.path.lexists(source):
            found.setdefault(_real(target), _real(source))

    for package in packages:
        for path in database.files(package):
            source, target = diverted.places(path, package)
            if not is_left_out(target) and _is_the_packages(source, path, package.conffiles):
                add(source, target)
                folder, _, name = source.rpartition("/")
                if name.endswith(".py"):
                    compiled = f"{folder}/__pycache__/{name[:-3]}.cpython-{tag}.pyc"
                    add(compiled, compiled)
        for record in database.records(package):
            add(str(record), f"{DATABASE}/info/{record.name}")
    return found


def is_left_out(path: str) -> bool:
    """Return whether a path of a package is left out, as dpkg does it in the image."""
    return bool(_LEFT_OUT.match(path)) and not _KEPT.match(path)


def _real(path: str) -> str:
    """Return a path with links in its folders resolved: /bin/sh is in /usr/bin if /bin is a link."""
    folder, _, name = path.rpartition("/")
    return f"{_real_folder(folder)}/{name}".replace("//", "/")


@functools.cache
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder or "/")


def _is_the_packages(source: str, path: str, conffiles: Mapping[str, str]) -> bool:
    """Return whether a file is as packaged. Only files below /etc, which a host may change, are compared."""
    if not path.startswith("/etc/") or os.path.islink(source) or os.path.isdir(source):
        return True
    with suppress(OSError):
        digest = hashlib.md5(Path(source).read_bytes(), usedforsecurity=False).hexdigest()
        return conffiles.get(path) == digest
    return False


def _write_database(
    root: Path, database: PackageDatabase, packages: list[DebianPackage], diverted: Diversions
) -> None:
    """Write dpkg's database of these packages only."""
    folder, names = root / "var/lib/dpkg", {package.name for package in packages}
    for name in EMPTY_FILES:
        (folder / name).touch()
    paragraphs = "".join(f"{package.paragraph}\n\n" for package in packages)
    (folder / "status").write_text(paragraphs, errors="surrogateescape")
    (folder / "diversions").write_text("".join("\n".join(lines) + "\n" for lines in diverted.kept))
    (folder / "info/format").write_text("1\n")
    for file in (database.folder / "triggers").glob("*"):
        lines = file.read_text().splitlines() if file.name not in ("Lock", "Unincorp") else []
        kept = [line for line in lines if re.split(r"[/:]", line.split()[-1])[0] in names]
        if kept:
            (folder / "triggers" / file.name).write_text("".join(f"{line}\n" for line in kept))


def _write_system(root: Path, packages: Iterable[DebianPackage]) -> None:
    """Write the files that an installation writes: accounts, archives, and settings for images."""
    share = Path("/usr/share")
    users, groups = (_without_passwords(share / f"base-passwd/{name}.master") for name in ("passwd", "group"))
    users += ACCOUNTS
    locked = "".join(f"{name}:*:19000:0:99999:7:::\n" for name in re.findall(r"(?m)^[^:]+", users))
    release = dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)', Path("/etc/os-release").read_text()))
    sources = archives(release, next(one.architecture for one in packages if one.name == "dpkg"))
    rules = [*(f"path-exclude={one}" for one in LEFT_OUT), *(f"path-include={one}" for one in KEPT)]
    texts = {
        "etc/passwd": users,
        "etc/group": groups,
        "etc/shadow": locked,
        "etc/gshadow": "".join(f"{name}:*::\n" for name in re.findall(r"(?m)^[^:]+", groups)),
        "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
        "etc/shells": "/bin/sh\n/bin/bash\n/usr/bin/bash\n/bin/dash\n/usr/bin/dash\n",
        "etc/environment": "",
        "etc/timezone": "Etc/UTC\n",
        f"etc/apt/sources.list.d/{release.get('ID', 'own')}.sources": "".join(sources),
        "etc/dpkg/dpkg.cfg.d/curlew": "\n".join([*rules, "force-unsafe-io", ""]),
        # Services of packages must not be started in a container (invoke-rc.d(8)).
        "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
        **{f"etc/pam.d/common-{kind}": f"{kind.partition('-')[0]} required pam_unix.so\n" for kind in PAM},
        **{place: (share / f"base-files/{name}").read_text() for place, name in PROFILES.items()},
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    for secret in ("shadow", "gshadow"):
        (root / "etc" / secret).chmod(0o640)
    (root / "etc/localtime").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")


def _without_passwords(master: Path) -> str:
    """Return the list of accounts in `master` with `x` in place of their passwords."""
    return re.sub(r"(?m)^([^:\n]+):[^:\n]*:", r"\1:x:", master.read_text())


def archives(said: Mapping[str, str], architecture: str) -> Iterator[str]:
    """Return paragraphs of sources.list(5) for a release's public archives (os-release(5)), if known."""
    own = architecture in TRADITIONAL
    hosts = ("archive", "ubuntu", "security") if own else ("ports", "ubuntu-ports", "ports")
    system, codename = said.get("ID", ""), said.get("VERSION_CODENAME", "")
    for address, suites, components in ARCHIVES.get(system, ()) if codename else ():
        yield (
            f"Types: deb\nURIs: {address}\nSuites: {suites}\nComponents: {components}\n"
            f"Signed-By: /usr/share/keyrings/{system}-archive-keyring.gpg\n\n"
        ).format(codename, *hosts)


def _copy_certificates(root: Path, files: Mapping[str, str]) -> None:
    """Copy the certificate authorities that the host trusts, with all names that link to them."""
    target = root / CERTIFICATES
    target.mkdir(parents=True, exist_ok=True)
    for entry in Path("/", CERTIFICATES).iterdir():
        real = os.path.realpath(entry)
        if entry.name == "ca-certificates.crt" or "/ca-certificates/" in real:
            leads = entry.is_symlink() and (real in files or "/" not in os.readlink(entry))
            shutil.copy2(entry, target / entry.name, follow_symlinks=not leads)
    shutil.copy2("/etc/ca-certificates.conf", root / "etc")


def _link_alternatives(root: Path, database: PackageDatabase, files: Mapping[str, str]) -> None:
    """Make the links of alternatives to programs in the image, and update-alternatives(1)'s files of them."""
    links = root / "etc/alternatives"
    links.mkdir(parents=True, exist_ok=True)
    for file in sorted((database.folder / "alternatives").glob("*")):
        found = Alternatives.parse(file.name, file.read_text())
        choices = [choice for choice in found.choices if _real(choice[0]) in files]
        if choices:
            (root / f"var/lib/dpkg/alternatives/{file.name}").write_text(found.text(choices))
            best = max(choices, key=lambda choice: int(choice[1]))
            for (name, link), path in zip(found.links, [best[0], *best[2:]], strict=True):
                place = root / _real(link)[1:]
                if path and _real(path) in files and not os.path.lexists(place):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.symlink_to(f"/etc/alternatives/{name}")
                    (links / name).symlink_to(path)


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Alternatives that switch several names together: `links` and their names, the main one first.

    A choice has the path for the main name, its priority, and the paths for the others.
    """

    links: list[tuple[str, str]]
    choices: list[list[str]]

    @classmethod
    def parse(cls, name: str, text: str) -> Alternatives:
        """Parse a file of update-alternatives(1)."""
        head, _, rest = text.partition("\n\n")
        _, link, *others = head.split("\n")
        links = [(name, link), *zip(others[::2], others[1::2], strict=True)]
        lines, size = rest.split("\n"), len(links) + 1
        starts = range(0, len(lines) - size, size)
        return cls(links, [lines[start : start + size] for start in starts if lines[start]])

    def text(self, choices: Iterable[list[str]]) -> str:
        """Return the file with only these choices."""
        (_, link), *others = self.links
        lines = ["auto", link, *(word for pair in others for word in pair), ""]
        return "\n".join([*lines, *(line for choice in choices for line in choice), "", ""])
