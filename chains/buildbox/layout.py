"""The OCI image layout that a build left, and its lists of accounts (passwd(5)): untrusted input."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import IO, Any

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
LARGEST_DOCUMENT = 4 << 20
MOST_LAYERS = 127
MOST_TEXTS = 1000
LONGEST_TEXT = 4096
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ImageRefused(Exception):
    """The result of a build is refused; `str()` is a sentence for the account that pushed."""


class ImageLayout:
    """One image in a folder that belongs to a build: the files of its layers, and its configuration.

    `diffs`: the digests that the build reports for the layers; they are not checked.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        index = self._document("index.json").get("manifests")
        if not isinstance(index, list) or len(index) != 1:
            raise ImageRefused("the result is not one image")
        manifest = self._document(_path(index[0]))
        layers = manifest.get("layers")
        if not isinstance(layers, list) or not 1 <= len(layers) <= MOST_LAYERS:
            raise ImageRefused(f"an image has between 1 and {MOST_LAYERS} layers")
        self._layers = layers
        self.configuration = self._document(_path(manifest.get("config")))
        rootfs = self.configuration.get("rootfs")
        diffs = rootfs.get("diff_ids") if isinstance(rootfs, dict) else None
        if not isinstance(diffs, list) or len(diffs) != len(layers):
            raise ImageRefused("the layers of the result do not fit its configuration")
        self.diffs: list[Any] = diffs

    def __len__(self) -> int:
        return len(self._layers)

    def layer(self, number: int) -> IO[bytes]:
        """Open the file of a layer."""
        return self._open(_path(self._layers[number]))

    def _document(self, name: str) -> Mapping[str, Any]:
        with self._open(name) as file:
            data = file.read(LARGEST_DOCUMENT + 1)
        if len(data) > LARGEST_DOCUMENT:
            raise ImageRefused(f"{name} of the result is too large")
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ImageRefused(f"{name} of the result is not JSON") from error
        if not isinstance(found, dict):
            raise ImageRefused(f"{name} of the result is no object")
        return found

    def _open(self, name: str) -> IO[bytes]:
        """Open a regular file of the layout without following links on its path."""
        *folders, last = name.split("/")
        try:
            here = os.open(self._folder, FOLDER)
            try:
                for folder in folders:
                    below = os.open(folder, FOLDER, dir_fd=here)
                    os.close(here)
                    here = below
                file = os.open(last, FILE, dir_fd=here)
            finally:
                os.close(here)
        except OSError as error:
            raise ImageRefused(f"{name} of the result is missing or no plain file") from error
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise ImageRefused(f"{name} of the result is no plain file")
        return os.fdopen(file, "rb")

    def text(self, name: str) -> str | None:
        """Return the start of a text that the box added beside the image, or None if there is none."""
        try:
            with self._open(name) as file:
                return file.read(LARGEST_DOCUMENT).decode(errors="replace")
        except ImageRefused:
            return None


def configuration(
    given: Mapping[str, Any], diffs: list[str], labels: Mapping[str, str], user: str
) -> dict[str, Any]:
    """Return a configuration with this user, these labels, and the parts of `given` that steps use."""
    asked = given.get("config") or {}
    if not isinstance(asked, dict):
        raise ImageRefused("the image's configuration is malformed")
    kept: dict[str, Any] = {key: _texts(asked.get(key), key) for key in ("Env", "Cmd", "Entrypoint")}
    kept |= {"WorkingDir": _text(asked.get("WorkingDir"), "WorkingDir"), "User": user}
    if kept["WorkingDir"]:
        kept["WorkingDir"] = str(PurePosixPath("/", kept["WorkingDir"]))
    moment = "1970-01-01T00:00:00Z"
    return {
        "architecture": _text(given.get("architecture"), "architecture"),
        "os": "linux",
        "created": moment,
        "config": {key: value for key, value in kept.items() if value} | {"Labels": dict(labels)},
        "rootfs": {"type": "layers", "diff_ids": diffs},
        "history": [{"created": moment} for _ in diffs],
    }


def user_of(given: Mapping[str, Any]) -> str:
    """Return the user in a build's configuration. Raise ImageRefused."""
    asked = given.get("config") or {}
    return _text(asked.get("User"), "User") if isinstance(asked, dict) else ""


def _path(descriptor: object) -> str:
    digest = descriptor.get("digest") if isinstance(descriptor, dict) else None
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise ImageRefused("a digest of the result is malformed")
    return f"blobs/sha256/{digest.removeprefix('sha256:')}"


def _text(value: object, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\0" in value:
        raise ImageRefused(f"{what} of the image is malformed")
    return value


def _texts(value: object, what: str) -> list[str]:
    if value is None:
        return []
    proper = isinstance(value, list) and len(value) <= MOST_TEXTS
    if not proper or not all(isinstance(text, str) and "\0" not in text for text in value):  # type: ignore[attr-defined]
        raise ImageRefused(f"{what} of the image is malformed")
    return list(value)  # type: ignore[call-overload, no-any-return]


IDS = 65_536
GROUPS = ("/etc/group", "groupadd")
ROOT = ("", "0", "root")


def is_root(user: str) -> bool:
    """Return whether the user of an image is root, which is the default."""
    return user.partition(":")[0] in ROOT


def numbers(user: str, passwd: str, group: str) -> str:
    """Return the user and group in `name`, `name:group` or numbers as two numbers. Raise ImageRefused."""
    name, _, named = user.partition(":")
    account = _find(passwd, name)
    number = _number(account[2] if account else name, f"USER {name}", "/etc/passwd", "useradd")
    if named:
        found = _find(group, named)
        return f"{number}:{_number(found[2] if found else named, f'the group {named} of USER', *GROUPS)}"
    own = account[3] if account and len(account) > 3 else "0"
    return f"{number}:{_number(own, f'the group of USER {name}', *GROUPS)}"


def _find(listed: str, word: str) -> list[str] | None:
    """Return the fields of the account with this name or number, or None."""
    return next((fields for fields in _fields(listed) if word in (fields[0], fields[2])), None)


def _fields(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) >= 3:
            yield fields


def _number(word: str, what: str, where: str, program: str) -> int:
    if not (word.isascii() and word.isdecimal()):
        raise ImageRefused(f"{what} is not in the image's {where}: make it before USER, by RUN {program}")
    if len(word) > 9 or int(word) >= IDS:
        raise ImageRefused(f"{what} has the number {word[:20]}, and none above {IDS - 1} is mapped")
    return int(word)
