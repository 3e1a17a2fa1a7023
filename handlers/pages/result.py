"""Views of pages, and their results: a page to show, or a redirect."""

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
    """A template with its values; `error` is the error that it reports, which sets the response's status.

    The title of a page with the `head` of an item is that of the item.

    `frames`: it frames another page of this service, which must allow that too. `document`: it shows one,
    with its own pictures and typefaces. `form_target` is another site that its form may lead to. `typed` are
    the fields of a refused form, `wrong` the sentences about the invalid ones. `session` is the token of a
    new session, `browser` the value of the cookie that challenges are bound to. An `embedded` page may be
    framed by other sites.
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
    browser: str = ""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect to a path, after a form or instead of a page.

    `session` is the token of a new session, "" if one ended; `done` is the key of the sentence about the
    form, `values` are filled into it, and `undo` has the fields of the form that undoes it, which is sent to
    `undo_at` or to the same path.
    `moved`: the page has another permanent address, which also takes its forms. `look` is the look for the
    browser to store, "" to delete the stored one; `browser` is as for a page.
    """

    path: str
    session: str | None = None
    done: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    undo: Mapping[str, str] | None = None
    undo_at: str = ""
    moved: bool = False
    look: str | None = None
    browser: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A response that is not a page: shown in a frame of one, or requested by its script.

    It has its own `policy`, as it may contain users' content. `browser` is as for a page.
    """

    body: bytes
    media: str
    policy: Policy
    browser: str = ""


Answered = Page | Redirect | Piece


class View(NamedTuple):
    """A page: `show` answers its GET, `act` handles its forms; either may be missing.

    An `anonymous` one ignores cookies. `texts` is the maximum number of bytes of the fields of a multipart
    form.
    """

    show: Callable[[PageRequest], Answered] | None
    act: Callable[[PageRequest, SentForm], Answered] | None = None
    texts: int = LARGEST
    anonymous: bool = False

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs of the page."""
        there = ((Verb.READ, self.show), (Verb.WRITE, self.act))
        return tuple(verb for verb, taken in there if taken is not None)
