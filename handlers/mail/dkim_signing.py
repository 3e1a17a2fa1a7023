"""Signatures of messages (DKIM, RFC 6376), with a key that is loaded once."""

from __future__ import annotations

import base64
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass

import dkim
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from chains.files.keeper import meddler
from handlers.settings.settings import Settings, SettingsError

Sign = Callable[[bytes], bytes]
"""Returns a message with its signature in front."""

SIGNED = (
    b"from", b"to", b"subject", b"date", b"message-id", b"reply-to", b"in-reply-to", b"references",
    b"mime-version", b"content-type", b"auto-submitted", b"list-unsubscribe", b"list-unsubscribe-post",
)  # fmt: skip
"""Signed headers; each is signed once more than it occurs, so that another one cannot be added."""
FEWEST_BITS = 2048
LARGEST = 64 << 10
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)
ADVICE = f"openssl genrsa -out FILE {FEWEST_BITS} makes one"


@dataclass(frozen=True, slots=True)
class DkimKey:
    """A key, and the DNS name of its public half."""

    selector: str
    domain: str
    private: bytes
    public: bytes

    @property
    def record_name(self) -> str:
        """The name of the TXT record."""
        return f"{self.selector}._domainkey.{self.domain}"

    @property
    def record(self) -> str:
        """The TXT record to publish."""
        return f"v=DKIM1; k=rsa; p={base64.b64encode(self.public).decode()}"

    def sign(self, message: bytes) -> bytes:
        """Return a message with its signature in front. Raises ValueError if it cannot be signed."""
        try:
            signer = dkim.DKIM(message)
            there = [name.lower() for name, _ in signer.headers]
            wanted = [name for name in SIGNED for _ in range(there.count(name) + 1)]
            line = signer.sign(
                self.selector.encode(), self.domain.encode(), self.private,
                canonicalize=(b"relaxed", b"relaxed"), include_headers=wanted,
            )  # fmt: skip
        except dkim.DKIMException as error:
            raise ValueError(f"it cannot be signed: {error}") from error
        return bytes(line) + message


def signer_of(settings: Settings) -> Sign:
    """Return the signer of the settings; without a key messages stay unsigned. Raises SettingsError."""
    key = dkim_key_of(settings)
    return key.sign if key is not None else lambda message: message


def dkim_key_of(settings: Settings) -> DkimKey | None:
    """Return the key of the settings; None without one. Raises SettingsError for a bad key."""
    if not settings.dkim_key and not settings.dkim_selector:
        return None
    if not settings.dkim_key or not settings.dkim_selector:
        raise SettingsError("dkim_key and dkim_selector go together: the key's file, and its name in the DNS")
    domain = settings.dkim_domain or settings.mail_from.rpartition("@")[2]
    for field, name in (("dkim_selector", settings.dkim_selector), ("dkim_domain", domain)):
        if not NAME.fullmatch(name) or len(name) > 200:
            raise SettingsError(f'the setting {field} must be a DNS name, not "{name[:100]}"')
    private, public = _halves(settings.dkim_key)
    return DkimKey(settings.dkim_selector, domain, private, public)


def _halves(path: str) -> tuple[bytes, bytes]:
    """Return the private key in dkim's format, and the public key. Raises SettingsError."""
    try:
        key = load_pem_private_key(_read_secret(path), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SettingsError(f"{path} is no private key in PEM without a password: {ADVICE}") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size < FEWEST_BITS:
        raise SettingsError(f"{path} is no RSA key of at least {FEWEST_BITS} bits: {ADVICE}")
    return (
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()),
        key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
    )


def _read_secret(path: str) -> bytes:
    """Return the bytes of a file that no other account can read or write. Raises SettingsError."""
    try:
        with open(path, "rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & (stat.S_IRWXO | stat.S_IWGRP):
                raise SettingsError(f"others may read or change {path} (mode {mode:04o}): chmod 0600 {path}")
            if why := meddler(path):
                raise SettingsError(f"others than root can change {path} ({why}): keep it where root writes")
            return file.read(LARGEST)
    except OSError as error:
        raise SettingsError(f"the key {path} cannot be read: {error.strerror}") from None
