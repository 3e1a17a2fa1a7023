"""Certificates for tests: an authority, and a certificate of it that every part of a cluster shows."""

from __future__ import annotations

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chains.dask.scheduler import Certificates


def make_certificates(folder: Path, name: str = "cluster", days: int = 2) -> Certificates:
    """A fresh authority and a certificate that it signed for some days, as files below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, own_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name} authority")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    authority = _signed(issuer, authority_key, issuer, authority_key, 2, is_authority=True)
    own = _signed(subject, own_key, issuer, authority_key, days, is_authority=False)
    made = Certificates(folder / "ca.pem", folder / "own.pem", folder / "own.key")
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(own.public_bytes(serialization.Encoding.PEM))
    made.key.touch(0o600)
    made.key.write_bytes(
        own_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return made


def _signed(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    days: int,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=2))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )
