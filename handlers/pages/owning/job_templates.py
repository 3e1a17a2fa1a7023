"""Templates of jobs, each a file: a program to begin with, and what the job around it is set to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FOLDER = "job_templates"
PYTHON = "python"
WORDS = (PYTHON, "pandas", "report", "webcheck", "each_file", "approval")
REPO = "{repo}"


@dataclass(frozen=True, slots=True)
class JobTemplate:
    """A template; `{repo}` in its chain stands for the repository with its `files`.

    `input` says what may be sent to it ("": nothing), and `mails` that a run which fails is told by mail.
    """

    word: str
    title: str
    says: str
    files: Mapping[str, str]
    chain: str = REPO
    schedule: str = ""
    input: str = ""
    mails: bool = False

    def chain_of(self, repo: str) -> str:
        """The chain of the job."""
        return self.chain.replace(REPO, repo)


@cache
def job_templates() -> Mapping[str, JobTemplate]:
    """All of them by their words, in order."""
    folder = files("handlers.pages").joinpath(FOLDER)
    return {
        word: JobTemplate(word, **tomllib.loads(folder.joinpath(f"{word}.toml").read_text("utf-8")))
        for word in WORDS
    }
