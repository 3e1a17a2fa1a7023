"""Documents that are sent as mails: by their schedule, by a run, and as a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.mail.test_ordered_mails import JOB, OrderStage
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb

DOC = "/v1/vis/docs/weekly"


class DocumentStage(OrderStage):
    """A document with a chart's place in it, and the processes that send it."""

    def __init__(self, service_world: ServiceWorld, folder: Path) -> None:
        super().__init__(service_world, folder)
        service_world.call("alice", Verb.CREATE, DOC)
        self.put("content", "---\ntitle: Week 48\n---\n# Curlews\n\nMore *birds*.\n")

    def put(self, rel: str, text: str) -> None:
        self.service_world.write("alice", f"{DOC}/{rel}", text)

    def read(self, rel: str) -> str:
        return str(self.service_world.read("alice", f"{DOC}/{rel}"))

    def log(self) -> str:
        lines = self.service_world.read("alice", f"{DOC}/log")
        return "\n".join(str(line["message"]) for line in lines)

    def page(self) -> str:
        """The HTML of the last message."""
        part = next(one for one in self.message().walk() if one.get_content_type() == "text/html")
        return bytes(part.get_payload(decode=True)).decode()

    def pass_minute(self) -> list[str]:
        self.service_world.pass_minutes(1)
        return self.deliver()


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> DocumentStage:
    return DocumentStage(service_world, tmp_path)


def test_at_each_time_the_document_goes_out_as_a_mail(stage: DocumentStage) -> None:
    stage.put("config/recipients", "out@side.example")
    stage.put("config/schedule", "* * * * *")
    assert stage.pass_minute() == ["out@side.example"]
    message, page = stage.message(), stage.page()
    assert message["Subject"] == "Week 48"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe"]
    assert "More" in page and "<em" in page
    assert "https://mail.example/d/" in page
    stage.put("name", "Birds of the week")
    stage.put("content", "Fewer.\n")
    assert stage.pass_minute() == ["out@side.example"] * 2
    assert stage.message()["Subject"] == "Birds of the week"
    assert "Fewer." in stage.page()
    assert stage.read("status") == "sent"
    stage.put("config/enabled", "no")
    assert len(stage.pass_minute()) == 2


@pytest.mark.parametrize(
    ("form", "theme"),
    [("doc", "novem"), ("pres", "novem-dark"), ("web", "custom"), ("docs", "+org/spring")],
)
def test_each_type_and_theme_of_a_document_can_be_sent(stage: DocumentStage, form: str, theme: str) -> None:
    stage.put("config/type", form)
    stage.put("config/theme", theme)
    stage.put("content", "# One\n\nA.\n\n---\n\n# Two\n\nB.\n")
    stage.service_world.call("alice", Verb.WRITE, f"{DOC}/status", "testing")
    stage.dispatch()
    assert [address for address, _ in stage.relay.taken] == ["alice@birds.example"]
    assert stage.message()["Subject"] == "Test: weekly"
    assert "A." in stage.page() and "B." in stage.page()


def test_what_refuses_a_mail_refuses_a_document(stage: DocumentStage) -> None:
    stage.put("config/schedule", "* * * * *")
    assert stage.pass_minute() == []
    assert "this document has no recipients: write some to config/recipients" in stage.log()
    assert "unsent" in stage.notice_kinds()
    stage.put("config/recipients", "out@side.example")
    stage.service_world.world.social.mails.refuse("alice", "out@side.example")
    assert stage.pass_minute() == []
    assert "nobody is left who would get this mail: 1 who want no more" in stage.log()


def test_a_run_sends_the_document_that_it_wrote(stage: DocumentStage) -> None:
    stage.put("config/recipients", "out@side.example")
    stage.service_world.write("alice", f"{JOB}/config/results", "report.md => /d/weekly, send")
    stage.write(stage.run(), "# Eleven curlews\n")
    assert stage.deliver() == ["out@side.example"]
    assert "Eleven curlews" in stage.page()
