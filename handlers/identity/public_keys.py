"""Public SSH keys as users send them: one line of OpenSSH, checked before it is stored."""

from __future__ import annotations

import base64
import binascii
from hashlib import sha256
from typing import NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_public_key

from handlers.rules.plain_lines import one_line
from vfs.errors import Invalid
from vfs.ports.keys import PublicKey

KINDS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-rsa",
)
"""The accepted kinds of keys; `sk-` keys are in a security key."""
LEAST_RSA, MOST_RSA = 2048, 16384
LONGEST_COMMENT = 255
HOW = (
    "send the one line of a file such as ~/.ssh/id_ed25519.pub: the kind of key, its base64, and a comment "
    "if you like (ssh-keygen -t ed25519 makes a pair)"
)


def public_key(sent: str) -> PublicKey:
    """Return the key of a line. Raises Invalid, which never repeats the sent text."""
    text = sent.strip(" \t\r\n")
    if "PRIVATE KEY" in text:
        raise Invalid(
            "this is a private key, which has now left your computer: make a new pair, and send the file "
            "that ends in .pub; nothing was stored"
        )
    if len(text.splitlines()) != 1:
        raise Invalid(f"a key is one line of text: {HOW}")
    kind, body, comment = (*text.split(None, 2), "", "", "")[:3]
    if kind not in KINDS:
        _refuse_kind(text)
    return PublicKey(kind, body, _comment(comment), _fingerprint(_bytes_of(kind, body)))


def _refuse_kind(text: str) -> NoReturn:
    if any(f" {kind} " in f" {text}" for kind in KINDS):
        raise Invalid(f"a line begins with the kind of key, without options or a host: {HOW}")
    raise Invalid(f"the accepted kinds of keys are {', '.join(KINDS)}: {HOW}")


def _bytes_of(kind: str, body: str) -> bytes:
    """Return the bytes of a key that OpenSSH accepts too, in the only valid encoding. Raises Invalid."""
    broken = Invalid(f"the base64 of this key is damaged or cut short: {HOW}")
    try:
        raw = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise broken from None
    if base64.b64encode(raw).decode() != body:
        raise broken
    try:
        key = load_ssh_public_key(f"{kind} {body}".encode())
        # For security keys the loader returns only a part, but has checked all of it.
        spelled = (
            body
            if kind.startswith("sk-")
            else _body(key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
        )
    except (ValueError, UnsupportedAlgorithm):
        raise broken from None
    if spelled != body:
        raise broken
    if isinstance(key, RSAPublicKey) and not LEAST_RSA <= key.key_size <= MOST_RSA:
        raise Invalid(
            f"an RSA key has {LEAST_RSA} to {MOST_RSA} bits here, and this one {key.key_size}: make a new "
            "pair (ssh-keygen -t ed25519, or -t rsa -b 3072)"
        )
    return raw


def _body(line: bytes) -> str:
    return line.split()[1].decode()


def _comment(sent: str) -> str:
    comment = one_line(sent)
    if len(comment.encode()) > LONGEST_COMMENT:
        raise Invalid(f"the comment of a key has at most {LONGEST_COMMENT} bytes")
    return comment


def _fingerprint(raw: bytes) -> str:
    return "SHA256:" + base64.b64encode(sha256(raw).digest()).decode().rstrip("=")
