"""Encryption at rest for secrets, and digests of credentials."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from chains.files.fsync import place_file, settle
from chains.files.keeper import keeper_of
from vfs.errors import Invalid, Unavailable

KEY_BYTES = 32
NONCE_BYTES = 12
VERSION = "1"


class AesSeal:
    """AES-256-GCM with the newest of several keys. Texts sealed with older keys can still be opened.

    A sealed text is `1.<key>.<nonce and ciphertext in base64url>`; `<key>` is the start of the key's digest.
    """

    def __init__(self, *keys: bytes) -> None:
        """Use keys of 32 bytes, newest first. Raises Invalid for no key or one of another length."""
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise Invalid(f"A key file holds one key a line, {KEY_BYTES} bytes in base64, the newest first.")
        self._ciphers = {hashlib.sha256(key).hexdigest()[:8]: AESGCM(key) for key in keys}
        self._newest = hashlib.sha256(keys[0]).hexdigest()[:8]
        # Marks use separate keys: one key serves one purpose.
        self._marking = [hmac.digest(key, b"curlew mark", "sha256") for key in keys]

    def close(self, text: str, context: str) -> str:
        """Return the text encrypted for `context`, such as item id and path. Only this context opens it."""
        self._follow()
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._ciphers[self._newest].encrypt(nonce, text.encode(), context.encode())
        return f"{VERSION}.{self._newest}.{base64.urlsafe_b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, context: str) -> str:
        """Return the text. Raises Unavailable when the key is missing or the text was altered or moved."""
        self._follow()
        version, key, body = (sealed.split(".") + ["", ""])[:3]
        cipher = self._ciphers.get(key)
        if version != VERSION or cipher is None:
            raise Unavailable("The key of this secret is not in the server's key file; restore that file.")
        try:
            raw = base64.urlsafe_b64decode(body)
            return cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], context.encode()).decode()
        except (InvalidTag, ValueError):
            raise Unavailable("This secret was damaged or moved in the database; write it again.") from None

    def mark(self, text: str) -> str:
        """Return a mark that only this installation can make: HMAC-SHA256 under the newest key, in hex."""
        self._follow()
        return _mark(self._marking[0], text)

    def is_mark_of(self, mark: str, text: str) -> bool:
        """Return whether the mark is this installation's mark of the text, under any of its keys."""
        self._follow()
        sent = mark.encode("utf-8", "surrogatepass")
        return sum(hmac.compare_digest(_mark(key, text).encode(), sent) for key in self._marking) > 0

    def _follow(self) -> None:
        """Use the current keys, where keys may change."""


def _mark(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


class FileSeal(AesSeal):
    """The seal of a key file. Added and removed keys take effect at the next use, in every process."""

    def __init__(self, path: Path) -> None:
        """Read the keys. Raises Invalid and Unavailable as `seal_of` does."""
        self._path = path
        self._known = _state(path)
        super().__init__(*read_keys(path))

    def is_newest(self, sealed: str) -> bool:
        """Return whether a text is sealed with the newest key."""
        self._follow()
        return sealed.startswith(f"{VERSION}.{self._newest}.")

    def _follow(self) -> None:
        """Read the file again if it has changed. A missing or invalid file is ignored."""
        now = _state(self._path)
        if now is None or now == self._known:
            return
        with contextlib.suppress(Invalid, Unavailable):
            super().__init__(*read_keys(self._path))
        self._known = now


def seal_of(path: Path) -> FileSeal:
    """Return the seal of a key file; create it with mode 0600 if missing, safe for concurrent starts.

    Raises Invalid when the file contains anything but keys, Unavailable when it cannot be read or created.
    """
    try:
        with keeper_of(path).acting():
            if not path.exists():
                _make(path)
    except OSError as error:
        raise Unavailable(f"The key file {path} can be neither read nor made: {error.strerror}.") from error
    return FileSeal(path)


def read_keys(path: Path) -> list[bytes]:
    """Return the keys of a file, newest first. Raises Invalid and Unavailable as `seal_of` does."""
    try:
        with keeper_of(path).acting():
            lines = path.read_bytes().decode("ascii").split()
        keys = [base64.b64decode(line, validate=True) for line in lines]
    except OSError as error:
        raise Unavailable(f"The key file {path} can be neither read nor made: {error.strerror}.") from error
    except ValueError:
        raise Invalid(f"{path} is not a key file: it holds one key a line, in base64.") from None
    if not keys or any(len(key) != KEY_BYTES for key in keys):
        raise Invalid(f"{path} is not a key file: it holds one key a line, in base64.")
    return keys


def write_keys(path: Path, keys: Sequence[bytes]) -> None:
    """Replace the keys of a file, newest first, atomically; its owner and mode stay.

    Raises OSError.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with keeper_of(path).acting():
        found = path.stat()
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(b"".join(base64.b64encode(key) + b"\n" for key in keys))
                file.flush()
                os.fchown(file.fileno(), found.st_uid, found.st_gid)
                os.fchmod(file.fileno(), found.st_mode & 0o777)
                os.fsync(file.fileno())
            draft.rename(path)
            settle(path.parent)
        finally:
            draft.unlink(missing_ok=True)


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return inode, modification time and size of a file, to detect changes; None when it is unreadable."""
    try:
        with keeper_of(path).acting():
            found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def digest(value: str) -> str:
    """Return the digest that is stored for a credential of 256 random bits: SHA-256 in hex."""
    return hashlib.sha256(value.encode()).hexdigest()


def _make(path: Path) -> None:
    """Write a new key, unless another process was faster: the first of two is kept."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place_file(path, base64.b64encode(os.urandom(KEY_BYTES)) + b"\n", replaces=False)
