"""Signatures of messages: recipients can verify them by the DNS, and wrong keys stop the start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import dkim
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from handlers.commands.doctor_checks import check_mails
from handlers.mail.dkim_signing import DkimKey, dkim_key_of, signer_of
from handlers.mail.mail_dispatch import MailDispatch
from handlers.services.mails.service_message import ServiceMessage, enqueue_message
from handlers.settings.settings import Settings, SettingsError
from tests.handlers.mail.mail_stage import MAIL, MailStage
from tests.handlers.service_world import ServiceWorld


def pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("dkim") / "dkim.pem"
    file.write_bytes(pem(rsa.generate_private_key(65537, 2048)))
    file.chmod(0o600)
    return file


@pytest.fixture
def settings(key_file: Path) -> Settings:
    return Settings(
        mail_from="post@mail.example",
        dkim_key=str(key_file),
        dkim_selector="s1",
        smtp="smtp://relay.example",
    )


def key_of(settings: Settings) -> DkimKey:
    key = dkim_key_of(settings)
    assert key is not None
    return key


def is_signed(message: bytes, key: DkimKey) -> bool:
    """Return whether the key in the DNS verifies the message."""
    records = {f"{key.record_name}.".encode(): key.record.encode()}
    try:
        return bool(dkim.DKIM(message).verify(dnsfunc=lambda name, timeout=5: records.get(name)))
    except dkim.ValidationError:
        return False


def test_mails_and_messages_of_the_service_leave_signed(
    service_world: ServiceWorld, settings: Settings, tmp_path: Path
) -> None:
    stage = MailStage(service_world, tmp_path)
    stage.service_world.write("alice", f"{MAIL}/content", "# Bøker\n\nhttps://birds.example\n")
    stage.address("out@side.example", "@bob")
    stage.send()
    answer = ServiceMessage("ann@side.example", "Re: Bøker", "Ferdig\n.\n", in_reply_to="<1@side.example>")
    enqueue_message(stage.service_world.world, answer)
    MailDispatch(stage.service_world.world, stage.relay.session, signer_of(settings)).round()
    key = key_of(settings)
    assert len(stage.relay.raw) == 3 and all(is_signed(raw, key) for raw in stage.relay.raw)
    raw = stage.relay.raw[-1]
    for old, new in ((b"Subject: Counts", b"Subject: Counted"), (b"One-Click", b"Two-Click")):
        assert old in raw and not is_signed(raw.replace(old, new), key)
    for more in (b"From: eve@side.example", b"Reply-To: eve@side.example", b"Subject: Pay"):
        assert not is_signed(raw.replace(b"Subject: ", more + b"\r\nSubject: "), key)
    assert not is_signed(raw + b"more\r\n", key)


def test_a_message_that_cannot_be_signed_is_refused(
    service_world: ServiceWorld, settings: Settings, tmp_path: Path
) -> None:
    stage = MailStage(service_world, tmp_path)
    stage.service_world.world.social.messages.enqueue("ann@side.example", "<1@a.b>", b"no header at all")
    MailDispatch(stage.service_world.world, stage.relay.session, signer_of(settings)).round()
    assert stage.relay.taken == [] and stage.service_world.world.social.messages.next_due() is None


def test_without_a_key_messages_stay_as_they_are() -> None:
    assert signer_of(Settings())(b"Subject: a\r\n\r\nb") == b"Subject: a\r\n\r\nb"


WRONG = {
    "go together": {"dkim_selector": ""},
    "dkim_selector must be a DNS name": {"dkim_selector": "a b"},
    "dkim_domain must be a DNS name": {"dkim_domain": "-"},
    "cannot be read": {"dkim_key": "/nowhere/at/all"},
}


@pytest.mark.parametrize("reason", WRONG)
def test_a_wrong_setting_stops_the_start(settings: Settings, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        signer_of(replace(settings, **WRONG[reason]))


@contextmanager
def refused(settings: Settings, file: Path, reason: str) -> Iterator[None]:
    yield
    (check,) = check_mails(replace(settings, dkim_key=str(file)))
    assert not check.ok and reason in check.detail, check


def test_a_wrong_key_is_reported(settings: Settings, key_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    for mode in (0o604, 0o660):
        with refused(settings, file, "chmod 0600"):
            file.write_bytes(key_file.read_bytes())
            file.chmod(mode)
    file.chmod(0o640)
    with refused(settings, file, "no private key"):
        file.write_text("-----BEGIN")
    for key in (rsa.generate_private_key(65537, 1024), ec.generate_private_key(ec.SECP256R1())):
        with refused(settings, file, "no RSA key of at least 2048 bits"):
            file.write_bytes(pem(key))


def test_doctor_compares_the_record_in_the_dns(settings: Settings) -> None:
    key = key_of(settings)
    assert key.record_name == "s1._domainkey.mail.example"

    def look(*records: str) -> tuple[bool, bool, str]:
        def found(name: str) -> list[str]:
            if not records:
                raise LookupError("no such name")
            return list(records)

        (check,) = check_mails(settings, found)
        assert not check.advice or key.record in check.advice
        return check.ok, check.warning, check.detail

    assert look(key.record)[:2] == look("v=spf1", key.record.replace("; ", ";").replace("p=", "p= "))[:2]
    assert look(key.record) == (True, False, f"mails are signed for mail.example, as {key.record_name} says")
    ok, warns, detail = look()
    assert ok and warns and "no such name" in detail
    assert look("v=DKIM1; p=AAAA")[:2] == (False, False)


def test_doctor_reports_mails_without_relay_or_signature() -> None:
    (folder,) = check_mails(Settings(data="/somewhere"))
    assert folder.ok and "/somewhere/outbox" in folder.detail
    (unsigned,) = check_mails(Settings(smtp="smtp://relay.example"))
    assert unsigned.ok and unsigned.warning and "dkim_key" in unsigned.advice
