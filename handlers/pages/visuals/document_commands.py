"""Lines of curl that show and change what is written as a text with sections: documents and mails."""

from __future__ import annotations

from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.visuals.visual_page import TEXT, Onlooker


def first_text(one: Onlooker) -> list[Command]:
    """The line that gives a new document something to say."""
    text = r"printf -- '---\ntitle: Spring\n---\n# Summary\nMore than *last* year.\n'"
    return [Command("Write it", f"{text} | {SIGNED} {TEXT} --data-binary @- {one.folder}/content")]


def mail_commands(one: Onlooker) -> list[Command]:
    """The lines that do what the page of a mail does."""
    shown = []
    if one.looks:
        shown.append(Command("In the terminal", f"{one.curl} '{one.files}.ansi?cols=100'"))
        shown.append(Command("Save the PDF", f"{one.curl} -o {one.at.name}.pdf {one.files}.pdf"))
    if one.writes:
        sent = f"{SIGNED} {TEXT}"
        shown.append(Command("Edit it", f"{sent} --data-binary @{one.at.name}.md {one.folder}/content"))
        shown.append(Command("Say who gets it", f"{sent} -d name@example.org {one.folder}/recipients/to"))
        shown.append(Command("What was left out", f"{SIGNED} {one.folder}/log"))
    return shown


def document_commands(one: Onlooker) -> list[Command]:
    """The lines that do what the page of a document does."""
    shown = []
    if one.looks:
        shown.append(Command("Save the PDF", f"{one.curl} -o {one.at.name}.pdf {one.files}.pdf"))
        shown.append(Command("Save the slides", f"{one.curl} -o {one.at.name}.pptx {one.files}.pptx"))
    if one.reads:
        written = f"{one.curl} -o {one.at.name}.md {one.folder}/content"
        shown.append(Command("The text as it was written", written))
    if one.writes:
        sent = f"{SIGNED} {TEXT}"
        shown.append(Command("Edit it", f"{sent} --data-binary @{one.at.name}.md {one.folder}/content"))
        slides = one.config.get("type") == "pres"
        other, what = ("doc", "Show it as pages") if slides else ("pres", "Show it as slides")
        shown.append(Command(what, f"{sent} -d {other} {one.folder}/config/type"))
        shown.append(Command("What was left out", f"{SIGNED} {one.folder}/log"))
    return shown
