"""The certificates by which runner, scheduler and workers recognise each other."""

from __future__ import annotations

import ssl
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from distributed import Security

from chains.engine.port import EngineError

SAME = "it, dask_tls_cert and dask_tls_key are of one authority on all hosts"


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files: the authority that signed all certificates, this process's certificate, and its key."""

    authority: Path
    certificate: Path
    key: Path

    def security(self) -> Security:
        """Return the certificates for Dask. Both sides refuse a peer without one of the authority.

        Raises EngineError, with the names of the settings, for files that other hosts would refuse.
        """
        self._require_sound()
        own = {"cert": str(self.certificate), "key": str(self.key)}
        roles = {
            f"tls_{role}_{part}": file
            for role in ("client", "scheduler", "worker")
            for part, file in own.items()
        }
        return Security(tls_ca_file=str(self.authority), require_encryption=True, **roles)

    def _require_sound(self) -> None:
        """Check the certificate against itself, as a server's and as a client's."""
        near, far = self._context(ssl.PROTOCOL_TLS_SERVER), self._context(ssl.PROTOCOL_TLS_CLIENT)
        to_near, to_far = ssl.MemoryBIO(), ssl.MemoryBIO()
        server = near.wrap_bio(to_near, to_far, server_side=True)
        client = far.wrap_bio(to_far, to_near)
        try:
            for one in (client, server):
                with suppress(ssl.SSLWantReadError):
                    one.do_handshake()
            client.do_handshake()
            server.do_handshake()
        except ssl.SSLError as error:
            raise EngineError(
                f"dask_tls_ca, {self.authority}, does not vouch for dask_tls_cert, {self.certificate}: "
                f"{reason(error)}"
            ) from error

    def _context(self, protocol: ssl._SSLMethod) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(self.authority)
        except OSError as error:
            raise EngineError(
                f"dask_tls_ca, {self.authority}, has no certificate in PEM: {reason(error)}"
            ) from error
        try:
            # There is nobody to enter a password.
            context.load_cert_chain(self.certificate, self.key, password="")
        except OSError as error:
            raise EngineError(
                f"dask_tls_cert, {self.certificate}, and dask_tls_key, {self.key}, are no certificate in PEM "
                f"and its key without a password: {reason(error)}"
            ) from error
        return context


def reason(error: OSError) -> str:
    """Return in a few words why a certificate is refused."""
    found = getattr(error, "verify_message", "") or error.strerror or str(error)
    return str(found).partition(" (_ssl")[0]
