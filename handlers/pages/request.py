"""Requests for pages, and the kernel calls that each makes as its caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import parse_qsl

from handlers.http.health import CheckResult
from handlers.http.request_head import RequestHead, hints_about
from handlers.http.response import tags
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.body import Body, NoBody, TextBody
from vfs.call import About, Call, Data, Entry, Form, KeptBytes, Reply, Stream, Unsupervised
from vfs.errors import Denied, Gone, NotFound, Unauthenticated, Unavailable, VfsError
from vfs.path import Path

NOTHING = NoBody()
NO_FIELDS: Mapping[str, str] = MappingProxyType({})


class AtOnce(Unsupervised):
    """Supervision of calls that are answered from the cache: nothing is rendered for them."""

    def begin(self, *, spare: bool = False) -> None:
        """Refuse long work. Raises Unavailable."""
        raise Unavailable("this has to be rendered first", retry_after=1)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page, and the kernel as its caller: pages use nothing else.

    A `lapsed` one was sent with an ended session, whose cookie is deleted. `checks` are those of readiness,
    for the page of operators.
    """

    serve: Callable[[Call[World]], Reply]
    world: World
    caller: Caller
    ask: RequestHead
    lapsed: bool = False
    checks: Callable[[], Mapping[str, CheckResult]] = dict

    @property
    def origin(self) -> str:
        """The public address of the service."""
        return self.ask.origin or ""

    @property
    def query(self) -> Mapping[str, str]:
        """The query of the page's own address."""
        sent = self.ask.environ.get("QUERY_STRING", "")
        return dict(parse_qsl(sent, keep_blank_values=True, errors="replace"))

    def me(self, purpose: str) -> str:
        """Return the name of the caller. Raises Unauthenticated, with the purpose of signing in."""
        if self.caller.name is None:
            raise Unauthenticated(f"sign in to {purpose}")
        return self.caller.name

    def call(
        self,
        verb: Verb | None,
        path: Path,
        body: Body = NOTHING,
        *,
        want: Form = Form.DATA,
        client: str | None = None,
        prefer: Mapping[str, str] = NO_FIELDS,
        events: bool = False,
        **more: Any,
    ) -> Reply:
        """Return the reply to one call; `more` are further fields of the Call. Raises vfs.errors."""
        client = self.ask.client if client is None else client
        hints = hints_about(self.ask, prefer=prefer, client=client, events=events)
        return self.serve(
            Call(
                verb,
                path,
                self.caller,
                self.world,
                body,
                id=self.ask.id,
                want=want,
                tags=tags,
                hints=hints,
                **more,
            )
        )

    def write(self, path: Path, text: str, *, clears: bool = False) -> None:
        """Write a text; with `clears`, an empty one clears its file. Raises vfs.errors."""
        if clears and not text:
            self.remove(path)
        else:
            self.call(Verb.WRITE, path, TextBody(text))

    def create(self, path: Path) -> None:
        """Create a context. Raises vfs.errors."""
        self.call(Verb.CREATE, path)

    def remove(self, path: Path) -> None:
        """Remove a context, or clear a file. Raises vfs.errors."""
        self.call(Verb.REMOVE, path)

    def answer(self, verb: Verb | None, path: Path, body: Body = NOTHING, **more: Any) -> Any:
        """Return the value that a call returns, as plain data if it has that form. Raises vfs.errors."""
        value = self.call(verb, path, body, **more).value
        return value.value if isinstance(value, Data) else value

    def read(self, path: Path) -> Any:
        """Return the value at a path, as plain data if it has that form. Raises vfs.errors."""
        return self.answer(Verb.READ, path)

    def rows(self, path: Path) -> list[dict[str, Any]]:
        """Return the entries of a folder as values for a template: their facts, `name` and `created`."""
        return [{"name": row.name, "created": row.created_on, **(row.extra or {})} for row in self.read(path)]

    def history(self, path: Path) -> Sequence[Mapping[str, Any]]:
        """Return the list of former contents at a path, the newest first. Raises vfs.errors."""
        value = self.call(Verb.READ, path, history=True).value
        return cast(Sequence[Mapping[str, Any]], value.value) if isinstance(value, Data) else ()

    def texts(self, folder: Path) -> Mapping[str, str]:
        """Return the texts of all files below a folder that the caller may read, by their relative paths."""
        return cast(Mapping[str, str], self.answer(Verb.READ, folder, want=Form.TEXTS))

    def peek(self, path: Path, otherwise: Any = None) -> Any:
        """Return the value at a path; `otherwise` if the caller may not see it or it was removed."""
        try:
            return self.read(path)
        except (Denied, Gone, NotFound, Unauthenticated):
            return otherwise

    def kept_text(self, path: Path, largest: int, **options: str) -> str | None:
        """Return the cached text of a render, "" if it is larger, None without one. Raises vfs.errors.

        Pages render nothing: renders are made for requests of the file itself, whose queue is limited.
        """
        try:
            value = self.call(Verb.READ, path, want=Form.TEXT, query=options, ongoing=AtOnce()).value
            if not isinstance(value, KeptBytes) or value.size > largest:
                return ""
            with value.open() as file:
                return file.read().decode(errors="replace")
        except Unavailable:
            return None

    def version(self, path: Path) -> str:
        """Return the version of the picture at a path without drawing it. Raises vfs.errors."""
        news = self.call(Verb.READ, path, events=True).value
        return news.tag or "" if isinstance(news, Stream) else ""

    def entry(self, path: Path) -> Entry:
        """Return the row of a context, as the caller sees it. Raises vfs.errors, NotFound without one."""
        about: About = self.answer(None, path)
        if about.absent:
            raise NotFound(f"there is no {path}")
        return about.entry

    def may(self, verb: Verb, path: Path) -> bool:
        """Return whether the caller may do this at that path now."""
        try:
            return verb in (self.call(None, path).allow or ())
        except VfsError:
            return False
