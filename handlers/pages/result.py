"""Views of pages, and their results: a page to show, or another one to go to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from handlers.http.headers import Policy
from handlers.pages.forms import LARGEST, SentForm
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.errors import VfsError


@dataclass(frozen=True, slots=True)
class Page:
    """A template with its facts; `error` is what it tells of, whose status the page is sent with.

    `frames` tells that it frames another page of this service, which has to allow that itself,
    `document` that it shows one, which brings its pictures along and has typefaces of its own. `form_target`
    is the other site that a form of it may lead to. `typed` are the fields of a refused form, and `wrong` the
    sentences about those that are to blame. `session` is the token of a session that began.
    An `embedded` one may stand in frames of other sites.
    """

    template: str
    facts: Mapping[str, Any]
    error: VfsError | None = None
    frames: bool = False
    document: bool = False
    form_target: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    session: str | None = None
    embedded: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """The path to go on to, after a form or instead of a page.

    `session` is the token of a session that began, empty where one ended; `done` is the word for what the
    form did, `told` is what its sentence quotes, and `undo` are the fields of the form that takes it back,
    which is sent to the same path. `moved` says that the page has another address for good, which takes its
    forms, too. `look` is the one that the browser is to keep from now on, "" to forget the one it has.
    """

    path: str
    session: str | None = None
    done: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    undo: Mapping[str, str] | None = None
    moved: bool = False
    look: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Something beside the pages: shown in a frame of one, or asked for by its script.

    Its `policy` is its own, as what people wrote may stand in it.
    """

    body: bytes
    media: str
    policy: Policy


Answered = Page | Redirect | Piece


class View(NamedTuple):
    """A page: `show` answers its GET, `act` takes its forms; either may be missing.

    An `anonymous` one is answered as to anybody: no cookie is read. `texts` is how many bytes the fields of a
    form may have that is sent as multipart.
    """

    show: Callable[[PageRequest], Answered] | None
    act: Callable[[PageRequest, SentForm], Answered] | None = None
    texts: int = LARGEST
    anonymous: bool = False

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs that the page takes."""
        there = ((Verb.READ, self.show), (Verb.WRITE, self.act))
        return tuple(verb for verb, taken in there if taken is not None)
