"""Lines of public keys: what is taken, by the word of OpenSSH, and what is refused."""

from __future__ import annotations

import base64
import struct
import subprocess
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.identity.public_keys import KINDS, LONGEST_COMMENT, public_key
from vfs.errors import Invalid


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _line(kind: str, *fields: bytes) -> str:
    body = b"".join(map(_string, (kind.encode(), *fields)))
    return f"{kind} {base64.b64encode(body).decode()}"


def _written(key: object) -> str:
    public = key.public_key()  # type: ignore[attr-defined]
    return str(public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode())


def _raw(line: str) -> bytes:
    return base64.b64decode(line.split()[1])


@cache
def lines() -> dict[str, str]:
    """A line of each kind that is taken."""
    plain = ed25519.Ed25519PrivateKey.generate()
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    uncompressed = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    curves = {"256": ec.SECP256R1(), "384": ec.SECP384R1(), "521": ec.SECP521R1()}
    raw = plain.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {
        "ssh-ed25519": _written(plain),
        **{
            f"ecdsa-sha2-nistp{bits}": _written(ec.generate_private_key(curve))
            for bits, curve in curves.items()
        },
        "sk-ssh-ed25519@openssh.com": _line("sk-ssh-ed25519@openssh.com", raw, b"ssh:"),
        "sk-ecdsa-sha2-nistp256@openssh.com": _line(
            "sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", uncompressed, b"ssh:curlew"
        ),
        "ssh-rsa": _written(rsa.generate_private_key(65537, 2048)),
    }


@pytest.fixture(scope="module")
def openssh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "key.pub"


def openssh_fingerprint(line: str, file: Path) -> str | None:
    """The fingerprint that ssh-keygen prints of a line; None where it knows no key in it."""
    file.write_text(f"{line}\n", encoding="utf-8")
    done = subprocess.run(
        ["ssh-keygen", "-lf", str(file)], capture_output=True, text=True, check=False, errors="replace"
    )
    return done.stdout.split()[1] if done.returncode == 0 else None


def test_every_kind_is_taken_with_the_fingerprint_that_openssh_prints(openssh: Path) -> None:
    assert tuple(lines()) == KINDS
    for kind, line in lines().items():
        key = public_key(f"  {line}   ann@laptop  in the kitchen\r\n")
        assert (key.kind, key.comment) == (kind, "ann@laptop in the kitchen")
        assert key.line == f"{line} ann@laptop in the kitchen"
        assert key.fingerprint == openssh_fingerprint(line, openssh)
        assert public_key(line).line == line


@given(
    kind=st.sampled_from(KINDS),
    at=st.integers(0, 600),
    put=st.binary(max_size=4),
    cut=st.integers(0, 4),
    comment=st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40),
)
@example("ssh-ed25519", 600, b"\0", 0, "")
@example("ssh-rsa", 15, b"\0", 0, "")
def test_what_is_taken_is_a_key_to_openssh_too(
    openssh: Path, kind: str, at: int, put: bytes, cut: int, comment: str
) -> None:
    raw = _raw(lines()[kind])
    at = min(at, len(raw))
    bent = base64.b64encode(raw[:at] + put + raw[at + cut :]).decode()
    try:
        key = public_key(f"{kind} {bent} {comment}")
    except Invalid:
        assert bent != base64.b64encode(raw).decode() or len(comment.encode()) > LONGEST_COMMENT
        return
    assert key.fingerprint == openssh_fingerprint(f"{key.kind} {key.body}", openssh)
    assert public_key(key.line) == key


@given(st.text(max_size=200))
@example("")
@example("ssh-ed25519")
@example("ssh-ed25519 AAAA\x00")
@example("ssh-ed25519 \u0661\u0662")
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        public_key(text)


def _shifted(body: str) -> str:
    """The same bytes, with bits set that base64 leaves unused."""
    return body.rstrip("=")[:-1] + "B" + "=" * body.count("=")


REFUSED = {
    "begins with the kind": 'command="sh" {ed}',
    "without options or a host": "no-pty,restrict {ed}",
    "one line": "{ed}\n{ed}",
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----",
    "the accepted kinds": "ssh-ed25519-cert-v01@openssh.com {body}",
    "at most 255 bytes": "{ed} " + "\u00e4" * 128,
    "damaged": "ssh-rsa {body}",
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_refusal_says_what_to_do(said: str) -> None:
    line = lines()["ssh-ed25519"]
    sent = REFUSED[said].format(ed=line, body=line.split()[1])
    with pytest.raises(Invalid, match=said) as refused:
        public_key(sent)
    assert line.split()[1] not in refused.value.detail


def test_other_spellings_of_a_key_are_refused() -> None:
    rsa_line = lines()["ssh-rsa"]
    numbers = _raw(rsa_line)
    longer = _string(b"ssh-rsa") + _string(b"\0\1\0\1") + numbers[4 + 7 + 4 + 3 :]
    for body in (
        base64.b64encode(longer).decode(),
        _shifted(lines()["ssh-ed25519"].split()[1] + "="),
        rsa_line.split()[1] + "=",
        rsa_line.split()[1][:40] + "!" + rsa_line.split()[1][40:],
    ):
        with pytest.raises(Invalid):
            public_key(f"ssh-rsa {body}")


def test_weak_kinds_are_refused() -> None:
    number = (1 << 1023) + 1
    weak = _line("ssh-rsa", b"\1\0\1", b"\0" + number.to_bytes(128, "big"))
    with pytest.raises(Invalid, match="has 2048 to 16384 bits here, and this one 1024"):
        public_key(weak)
    parameters = dsa.generate_parameters(1024).parameter_numbers()
    sizes = [one.to_bytes(129, "big") for one in (parameters.p, parameters.q, parameters.g)]
    with pytest.raises(Invalid, match="the accepted kinds of keys"):
        public_key(_line("ssh-dss", *sizes, b"\1"))
