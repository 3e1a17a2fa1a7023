"""The applications that the caller has registered, and its approvals of applications."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from handlers.rules.accounts import display_name
from handlers.rules.redirects import redirect
from handlers.rules.scopes import SCOPES, scope_words
from handlers.services.applications.connections import approve
from handlers.services.applications.requests import FIELDS, read_request
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.facets.declared_files import LARGEST, document_action
from vfs.access import Verb
from vfs.body import Body
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, Dir, Each, File, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.ports.applications import Application
from vfs.rules import FIRST_HAND, IN_SESSION, SIGNED_IN, hide_unless

APPLICATION: Param[Application] = Param("application")
MOST_REDIRECTS = 10
PERSON = SIGNED_IN & FIRST_HAND
ASKED: Mapping[str, object] = {
    "type": "object",
    "description": "what the application asked for, from its address",
    "properties": {name: {"type": "string"} for name in FIELDS},
    "required": ["client_id", "response_type", "code_challenge", "code_challenge_method"],
}


def authorize(context: Context[World], _: Body) -> Reply:
    """Approve an application; the answer has the code to exchange within a minute (RFC 6749, 4.1)."""
    sent = context.call.fields(LARGEST, FIELDS)
    if not all(isinstance(one, str) for one in sent.values()):
        raise Invalid("send the fields of the application's request as a JSON object of texts")
    world, token = context.world, context.caller.token
    fields = {name: str(one) for name, one in sent.items()}
    requested = read_request(world, fields, hints_of(context.call).origin)
    assert token is not None  # a session is a token
    code = approve(world, context.me, token, requested)
    return Reply(Data({"code": code, "redirect_uri": requested.redirect, "state": requested.state}))


def _client(context: Context[World]) -> str:
    """Return the client id of the caller's application. No name contains `~`, so ids are unique."""
    return f"@{context.me}~{context.segment(APPLICATION)}"


def _list(context: Context[World]) -> Iterator[Named]:
    for one in context.world.people.applications.of(context.me):
        yield Named(one.client.partition("~")[2], one.created_on, one.created_on, one)


def _find(context: Context[World], name: str) -> Application | None:
    return context.world.people.applications.find(f"@{context.me}~{name}") if context.me else None


def _register(context: Context[World]) -> None:
    """Register an application; it may only ask to read until its scopes are set."""
    context.world.people.applications.add(
        _client(context), context.me, name=context.name, description="", redirects=(), scopes=("read",)
    )


def _remove(context: Context[World]) -> str:
    """Remove an application and end all its connections."""
    context.world.people.applications.remove(context[APPLICATION].client)
    return f"removed {context.name}; its connections have ended\n"


def _field(field: str, kept: Callable[[Application], str], read: Callable[[str], object], about: str) -> File:
    def write(context: Context[World], text: str) -> None:
        context.world.people.applications.change(_client(context), **{field: read(text)})

    return File(
        lambda context: kept(context[APPLICATION]),
        write,
        clear=False,
        largest=8 * KIB,
        rules={Verb.WRITE: PERSON},
        about=about,
    )


def redirects(sent: str) -> tuple[str, ...]:
    """Return the redirects of a text, one on each line. Raises Invalid."""
    found = tuple(dict.fromkeys(redirect(line) for line in sent.splitlines() if line.strip()))
    if len(found) > MOST_REDIRECTS:
        raise Invalid(f"an application has at most {MOST_REDIRECTS} redirects")
    return found


def _lines(one: Application) -> str:
    return "".join(f"{address}\n" for address in one.redirects)


AUTHORIZE = document_action(
    authorize,
    needs=SIGNED_IN & IN_SESSION,
    schema=ASKED,
    about="approve an application, as the page /oauth/authorize does; answers its code",
)
APPLICATIONS = Each(
    APPLICATION,
    Dir(
        {
            "client_id": value(
                lambda context: context[APPLICATION].client, about="its client id"
            ),
            "name": _field("name", lambda one: one.name, display_name, "the name that people are shown"),
            "description": _field(
                "description", lambda one: one.description, display_name, "one line; the tokens of its "
                "connections are listed with it",
            ),
            "redirects": _field("redirects", _lines, redirects, "addresses to return to, one a line"),
            "scopes": _field(
                "scopes",
                lambda one: " ".join(one.scopes),
                scope_words,
                f"the most that it may ask for: one or more of {', '.join(SCOPES)}",
            ),
        },
        about="an application; DELETE ends its connections too",
    ),
    names=_list,
    has=hide_unless(PERSON, _find),
    create=_register,
    remove=_remove,
    name=NAME,
    rules={Verb.READ: PERSON, Verb.CREATE: PERSON, Verb.REMOVE: PERSON},
    about="applications that the caller has registered; users may connect their accounts to them",
)  # fmt: skip
