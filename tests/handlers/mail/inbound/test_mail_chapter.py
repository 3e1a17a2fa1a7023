"""Examples of the manual and advice of `curlew doctor` on mails that run jobs: both work."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from pathlib import Path

from handlers.commands.doctor_checks import check_mails
from handlers.mail.inbound.sender_proof import SenderProof
from handlers.settings.settings import Settings
from tests.handlers.mail.inbound.mail_world import ADDRESS, SERVER, MailWorld, sign
from tests.kit.sources import ROOT

CHAPTER = (ROOT / "handlers/reference/text/mails.md").read_text()
SECTION = CHAPTER.partition("## Mails that run jobs\n")[2].partition("\n## ")[0]


def test_the_requests_of_the_chapter_open_an_address(mail_world: MailWorld) -> None:
    mail_world.set(mail_world.org, "enable_subdomain", "no")
    mail_world.set(mail_world.group, "allow_inbound_mail", "no")
    address = "/v1/orgs/acme/groups/sales/email"
    assert not mail_world.service_world.read("alice", address)
    (block,) = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)
    requests = re.findall(r"-d (\S+) \\\n +\$ORIGIN(\S+)", block)
    assert len(requests) == block.count("curl -X POST")
    for word, path in requests:
        mail_world.service_world.write("carol", path, word)
    assert mail_world.service_world.read("alice", address) == ADDRESS
    assert "GET /v1/orgs/<org>/groups/<group>/email" in SECTION


def test_the_chapter_names_every_file_of_an_input(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()), SERVER)
    mail_world.dispatch()
    (folder,) = mail_world.world.code.folders.root.glob("in-*")
    names = set(re.findall(r"`([\w.]+\.(?:json|eml|txt|html))`", SECTION))
    assert {path.name for path in folder.iterdir()} == names - {"body.html"}
    assert SenderProof("dkim", "").by in (folder / "input.json").read_text()


def test_doctor_looks_for_the_listener(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        settings = Settings(data=str(tmp_path), mail_domain="mail.example", mail_in=place)
        assert [check.ok and not check.warning for check in check_mails(settings)] == [True, True]
    away = [check for check in check_mails(replace(settings, mail_in="nonsense")) if check.name == "mail-in"]
    assert [check.warning for check in away] == [True]
