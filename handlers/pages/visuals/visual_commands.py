"""Lines of curl that show and change a plot, grid, document or mail."""

from __future__ import annotations

from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.visuals.visual_path import VisualPath

TEXT = "-H 'Content-Type: text/plain'"
LAYOUT = r"printf '+-----+-----+\n| {A} | {B} |\n+-----+-----+\n'"


def first_data(root: str, at: VisualPath) -> Command:
    """The line that gives a new plot something to draw."""
    rows = r"printf 'month,north,south\nJan,12,8\nFeb,15,9\nMar,11,14\n'"
    return Command("Give it data", f"{rows} | {SIGNED} {TEXT} --data-binary @- {root}{at.api}/data")


def first_layout(root: str, at: VisualPath) -> list[Command]:
    """The lines that give a new grid two cells with plots in them."""
    cells = r"printf 'A => /p/NAME\nB => /p/NAME\n'"
    return [
        Command("Draw its boxes", f"{LAYOUT} | {SIGNED} {TEXT} --data-binary @- {root}{at.api}/layout"),
        Command("Set plots into them", f"{cells} | {SIGNED} {TEXT} --data-binary @- {root}{at.api}/mapping"),
    ]


def visual_commands(
    root: str, at: VisualPath, *, signed: bool, looks: bool, reads: bool, writes: bool
) -> list[Command]:
    """The lines that do what the page does; without a token where nobody is `signed` in."""
    curl, files = SIGNED if signed else "curl", f"{root}{at.api}/files/{at.kind}"
    shown = []
    if looks:
        shown.append(Command("In the terminal", f"{curl} '{files}.ansi?cols=100'"))
        shown.append(Command("Save the picture", f"{curl} -o {at.name}.png '{files}.png?scale=2&mode=dark'"))
    if reads and at.kind == "plot":
        shown.append(Command("The data", f"{curl} -o {at.name}.csv {files}.csv"))
    if reads and at.kind == "grid":
        shown.append(
            Command("Its boxes and its plots", f"{curl} {root}{at.api}/layout {root}{at.api}/mapping")
        )
    if writes and at.kind == "plot":
        sent = f"{SIGNED} {TEXT}"
        shown.append(Command("Write other data", f"{sent} --data-binary @{at.name}.csv {root}{at.api}/data"))
        shown.append(Command("Draw it otherwise", f"{sent} -d line {root}{at.api}/config/type"))
    if writes and at.kind == "grid":
        sent = f"{SIGNED} {TEXT} --data-binary"
        shown.append(Command("Write other boxes", f"{sent} @layout.txt {root}{at.api}/layout"))
        shown.append(Command("Set other plots into them", f"{sent} @mapping.txt {root}{at.api}/mapping"))
    return shown


def first_text(root: str, at: VisualPath) -> Command:
    """The line that gives a new document something to say."""
    text = r"printf -- '---\ntitle: Spring\n---\n# Summary\nMore than *last* year.\n'"
    return Command("Write it", f"{text} | {SIGNED} {TEXT} --data-binary @- {root}{at.api}/content")


def mail_commands(root: str, at: VisualPath, *, signed: bool, looks: bool, writes: bool) -> list[Command]:
    """The lines that do what the page of a mail does; without a token where nobody is `signed` in."""
    curl, files = SIGNED if signed else "curl", f"{root}{at.api}/files/mail"
    shown = []
    if looks:
        shown.append(Command("In the terminal", f"{curl} '{files}.ansi?cols=100'"))
        shown.append(Command("Save the PDF", f"{curl} -o {at.name}.pdf {files}.pdf"))
    if writes:
        sent = f"{SIGNED} {TEXT}"
        shown.append(Command("Edit it", f"{sent} --data-binary @{at.name}.md {root}{at.api}/content"))
        shown.append(Command("Say who gets it", f"{sent} -d name@example.org {root}{at.api}/recipients/to"))
        shown.append(Command("What was left out", f"{SIGNED} {root}{at.api}/log"))
    return shown


def document_commands(
    root: str, at: VisualPath, *, signed: bool, looks: bool, reads: bool, writes: bool, slides: bool
) -> list[Command]:
    """The lines that do what the page of a document does; without a token where nobody is `signed` in."""
    curl, files = SIGNED if signed else "curl", f"{root}{at.api}/files/doc"
    shown = []
    if looks:
        shown.append(Command("Save the PDF", f"{curl} -o {at.name}.pdf {files}.pdf"))
        shown.append(Command("Save the slides", f"{curl} -o {at.name}.pptx {files}.pptx"))
    if reads:
        shown.append(Command("The text as it was written", f"{curl} -o {at.name}.md {root}{at.api}/content"))
    if writes:
        sent = f"{SIGNED} {TEXT}"
        shown.append(Command("Edit it", f"{sent} --data-binary @{at.name}.md {root}{at.api}/content"))
        kind, what = ("doc", "Show it as pages") if slides else ("pres", "Show it as slides")
        shown.append(Command(what, f"{sent} -d {kind} {root}{at.api}/config/type"))
        shown.append(Command("What was left out", f"{SIGNED} {root}{at.api}/log"))
    return shown
