"""An authenticator in software, written from WebAuthn level 2 without the library that the service uses."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def b64(raw: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def cbor(value: object) -> bytes:
    """The CBOR of the few values that an attestation has (RFC 8949)."""

    def head(major: int, size: int) -> bytes:
        if size < 24:
            return bytes([major << 5 | size])
        return (
            bytes([major << 5 | 24, size])
            if size < 256
            else bytes([major << 5 | 25]) + struct.pack(">H", size)
        )

    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value)) + value.encode()
    assert isinstance(value, dict)
    return head(5, len(value)) + b"".join(cbor(key) + cbor(one) for key, one in value.items())


class Authenticator:
    """One passkey, with what may be wrong about it."""

    def __init__(self, origin: str, *, verifies: bool = True, counts: bool = True) -> None:
        self.origin = origin
        self.verifies = verifies
        self.counts = counts
        self.counter = 0
        self.id = os.urandom(16)
        self.handle = b""
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to navigator.credentials.create."""
        self.handle = base64.urlsafe_b64decode(options["user"]["id"] + "==")
        numbers = self._key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        credential = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor(key)
        data = self._data(options["rp"]["id"], ATTESTED) + credential
        attestation = cbor({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer("create", options, {"attestationObject": b64(attestation)})

    def sign(self, options: Mapping[str, Any], **other: Any) -> dict[str, Any]:
        """The answer to navigator.credentials.get; `other` replaces parts of it."""
        self.counter += self.counts
        data = self._data(other.pop("host", options["rpId"]), 0)
        client = self._client("get", options)
        signature = self._key.sign(data + sha256(client).digest(), ec.ECDSA(SHA256()))
        parts = {"authenticatorData": b64(data), "signature": b64(signature), "userHandle": b64(self.handle)}
        return self._answer("get", options, {**parts, **other})

    def _data(self, host: str, flags: int) -> bytes:
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        return sha256(host.encode()).digest() + bytes([flags]) + struct.pack(">I", self.counter)

    def _client(self, kind: str, options: Mapping[str, Any]) -> bytes:
        said = {"type": f"webauthn.{kind}", "challenge": options["challenge"], "origin": self.origin}
        return json.dumps({**said, "crossOrigin": False}).encode()

    def _answer(self, kind: str, options: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any]:
        made = {"clientDataJSON": b64(self._client(kind, options)), **response}
        return {"id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "response": made}
