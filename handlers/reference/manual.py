"""The chapters of the manual: the texts of the package, and those that the program generates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from handlers.reference import errors, outline
from handlers.words.tables import table
from vfs.tree import Tree

# The markers of the parts of a text that `make readme` updates.
MARK = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
SHOWN_ORIGIN = "http://127.0.0.1:8000"
"""The server's address in the texts: the default one of `curlew serve`."""

ABOUT: Mapping[str, str] = {
    "tour": "files, code, a job, sharing, groups and pages in ten minutes; every command is tested",
    "browser": "the pages: finding, creating, naming, sharing and embedding without a command line",
    "report": "a report every Monday: files, a program, a schedule, a chart, a document and a mail",
    "coming": "the same task in cron, Airflow, Windmill or GitHub Actions and in Curlew",
    "examples": "ordinary projects to begin with: their files, chains and results",
    "chains": "every mark of the chain language, each with a drawing, a chain and its result",
    "jobs": "retries, triggers, hooks, schedules, results, logs, secrets, spaces, access, with examples",
    "repos": "pushing code, how an image is built, labels, commits, builds and their logs, the pages",
    "spaces": "files in folders: upload, rename, two writers, the journal, the pages",
    "drive": "spaces in Finder, Explorer, GNOME Files and rclone, by WebDAV: mounting, locks, rules",
    "plots": "the data, the types and the looks of plots, with results",
    "addresses": "the addresses of plots and grids as pictures, text, pages and rows, and who may read them",
    "grids": "drawing a layout, writing a mapping, and what each reader sees",
    "documents": "the markup of documents, their pages and slides, looks and forms",
    "mails": "the text of a mail, its recipients, sending it, and its delivery",
    "sharing": "access of others to your resources: shares, letters, groups, everybody",
    "groups": "groups and organisations: invitations, roles and their permissions, who sees them",
    "comments": "comments, tags and variables of resources",
    "alerts": "mails about a value that is too low, a silent source, a late or slow job, and their recovery",
    "versions": "earlier contents of files, restoring deleted resources, and retention times",
    "search": "finding resources of all kinds by words, owner and tag, over HTTP and on pages",
    "accounts": "the first account, the pages of your settings, addresses, passwords, tokens, sessions, keys",
    "applications": "programs that act for users: registration, approval, renewal and disconnection",
    "agents": "language models that work for you: connecting one, its six tools, an example, limits",
    "graphql": "the second view, for the published clients: its content, its limits and its schema",
    "events": "events as they happen, over Socket.IO: patterns, kinds, and what may be lost",
    "hooks": "messages about events to a chat, an incident tool or a program: addresses, forms, signatures",
    "tables": "slices, and the formats, looks, bars, colours and merges of the cells of a table",
    "operating": "installing, the two processes, health, backup, image builds",
    "scale": "web servers and runners on several hosts: what they share, failures, and measured limits",
    "dask": "steps on several hosts: workers, certificates, and what happens when something is lost",
    "settings": "every setting with its default",
    "security": "the protections, what is not protected, and how to report a vulnerability",
    "api": "every path, its methods, and who may use each",
    "errors": "every kind of error, and what to do about it",
    "architecture": "an overview, the packages, and a new resource in one small file",
    "words": "terms that have a special meaning in the code",
    "developing": "running the tests, the rules and their reasons, and adding a kind, a chart or a setting",
    "decisions": "the design decisions of Curlew, each with its reason and its cost",
    "speed": "measurements, compared with limits that were measured in the same run",
    "changes": "the changes in each version",
}


class Chapter(NamedTuple):
    """A text of the manual; `terminal` is its form for terminals if it differs from the markdown."""

    name: str
    markdown: str
    terminal: str

    @property
    def title(self) -> str:
        """The heading."""
        return self.markdown.partition("\n")[0].removeprefix("# ")

    @property
    def about(self) -> str:
        """One line about the content."""
        return ABOUT[self.name]

    @property
    def address(self) -> str:
        """The path at which a server shows it."""
        return f"/docs/{self.name}"


def manual(tree: Tree) -> Mapping[str, Chapter]:
    """Return every chapter by its name, in reading order."""
    return {name: _chapter(name, tree) for name in ABOUT}


def at_origin(text: str, origin: str | None) -> str:
    """Return a text with the server's own address in its examples; unchanged if it is unknown."""
    return text.replace(SHOWN_ORIGIN, origin) if origin else text


def contents(chapters: Mapping[str, Chapter]) -> str:
    """Return the list of all chapters as markdown."""
    rows = [f"* [{one.title}]({one.address}): {one.about}" for one in chapters.values()]
    return "\n".join([f"# The manual\n\n{INTRODUCTION}", *rows, "", FURTHER])


def contents_for_agents(chapters: Mapping[str, Chapter]) -> str:
    """Return the list of all chapters as `llms.txt`: their markdown, by whole addresses."""
    rows = [f"- [{one.title}]({SHOWN_ORIGIN}{one.address}.md): {one.about}" for one in chapters.values()]
    about = " ".join(INTRODUCTION.split())
    return "\n".join(["# Curlew", "", f"> {about}", "", FOR_AGENTS, "## Manual", "", *rows, ""])


def contents_lines(chapters: Mapping[str, Chapter]) -> str:
    """Return the list of all chapters for terminals."""
    return table(("name", "about"), [(one.name, one.about) for one in chapters.values()])


def _chapter(name: str, tree: Tree) -> Chapter:
    match name:
        case "api":
            return Chapter(name, f"# The API\n\n{API}\n{outline.markdown(tree)}", outline.lines(tree))
        case "errors":
            text = errors.markdown()
        case "graphql":
            schema = files("handlers.graphql").joinpath("schema.graphql").read_text()
            text = f"{_text(name)}\n```graphql\n{schema}```\n"
        case _:
            text = _text(name)
    return Chapter(name, text, text)


def _text(name: str) -> str:
    return MARK.sub("", files("handlers.reference").joinpath("text", f"{name}.md").read_text())


API = """\
Every path with its methods and who may use each. Every path has `OPTIONS`, and every path with `GET` has
`HEAD`. Words after a colon stand for names. The letters are those of shares: `r` reads, `w` writes,
`x` uses, `d` removes; `info` is any of them.
"""
INTRODUCTION = """\
Curlew is a server on which everything is a file over HTTP. A resource is a folder of small text files: GET
reads one, POST writes one, PUT creates an entry. Code is pushed with git, every push builds a container
image, and a job connects images in a chain.
"""
FOR_AGENTS = f"""\
Agents connect to {SHOWN_ORIGIN}/mcp, by the Model Context Protocol. For programs, the API is described at
{SHOWN_ORIGIN}/openapi.json.
"""
FURTHER = """\
A terminal has the same texts: `curlew docs` lists them, `curlew docs tour` prints one. `/openapi.json`
describes the API for programs, and `OPTIONS` on any path shows what you may do there.
"""
