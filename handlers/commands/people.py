"""`curlew user` and `curlew token`: accounts and credentials from the command line, while a server runs."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from handlers.commands.operators import Cell, as_json, find_user, note_command, print_rows, user_names
from handlers.commands.options import needs_data
from handlers.identity.credentials import digest, fresh, tail
from handlers.processes.world import open_world
from handlers.rules import accounts
from handlers.rules.expiry import expiry
from handlers.security.events import (
    ACCOUNT_LINKED,
    ACCOUNT_LOCKED,
    ACCOUNT_MADE,
    ACCOUNT_UNLINKED,
    ACCOUNT_UNLOCKED,
    FACTOR_RESET,
    PASSWORD_CHANGED,
    TOKEN_MADE,
    TOKEN_REVOKED,
)
from handlers.services.mailboxes import mail_factor_change
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.access import Via
from vfs.errors import Invalid, NotFound
from vfs.path import TOKEN_NAME, require_name
from vfs.ports.people import Account, Token, User

MADE_UP = 20
TOKEN_HEADS = ("token_name", "token_description", "created_on", "expires_on", "last_used_on")
TOKEN_NAME_RULE = "a lowercase letter, then up to 127 more of a-z, 0-9, '.', _ and -"

by_stdin = click.option(
    "--password-stdin", is_flag=True, help="Read the password from stdin; the default is a generated one."
)


@click.group()
def user() -> None:
    """Add, list and lock users, and set their passwords."""


@user.command("add")
@needs_data
@click.argument("name")
@click.option("--public", is_flag=True, help="Let everyone who is signed in see the user.")
@click.option(
    "--organisation", is_flag=True, help="An organisation account, which may create an organisation."
)
@click.option("--email", metavar="E", help="E-mail address, which counts as verified.")
@by_stdin
@click.option("--token", "token_name", metavar="NAME", help="Name of the token (default: generated).")
def add_user(
    settings: Settings,
    name: str,
    public: bool,
    organisation: bool,
    email: str | None,
    password_stdin: bool,
    token_name: str | None,
) -> None:
    """Add a user with a token, which is printed alone on stdout."""
    _check("the user name", accounts.username, name)
    if email is not None:
        _check("the e-mail address", accounts.email, email)
    chosen = _token_name(token_name)
    password, made_up = _password(name, password_stdin)
    account = Account.ORGANISATION if organisation else Account.REGULAR
    with open_world(settings) as world:
        secret = world.people.passwords.digest(password)
        with world.atomic():
            world.people.users.add(name, secret, account, email, public=public)
            if email is not None:
                world.people.users.change(name, verified=True)
            value = _mint(world, name, chosen)
        note_command(world, ACCOUNT_MADE, name)
        note_command(world, TOKEN_MADE, name, chosen)
    _say(f"added the user {name}" + (f" with the password {password}" if made_up else ""))
    _say(f"its token {chosen} is printed once:")
    click.echo(value)


@user.command("list")
@needs_data
@as_json
def list_users(settings: Settings, as_json: bool) -> None:
    """List all users."""
    with open_world(settings) as world:
        rows = [_row(one) for one in world.people.users.all()]
    heads = ("username", "account_type", "email", "public", "locked", "created_on")
    print_rows(rows, heads, as_json=as_json)


@user.command("passwd")
@needs_data
@click.argument("name")
@by_stdin
def passwd(settings: Settings, name: str, password_stdin: bool) -> None:
    """Set a user's password and end its sessions; its tokens stay valid."""
    password, made_up = _password(name, password_stdin)
    with open_world(settings) as world:
        find_user(world, name)
        secret = world.people.passwords.digest(password)
        with world.atomic():
            world.people.users.change(name, password=secret)
            for token in world.people.tokens.of(name):
                if token.via is Via.SESSION:
                    world.people.tokens.revoke(token.id)
        note_command(world, PASSWORD_CHANGED, name)
    _say(f"{name} has " + (f"the password {password}" if made_up else "a new password"))


@user.command("lock")
@needs_data
@click.argument("name")
def lock(settings: Settings, name: str) -> None:
    """Lock a user's account until `curlew user unlock`.

    Neither its password nor its tokens work until then, and its jobs do not start by schedule or mail.
    """
    _set_lock(settings, name, locked=True)
    _say(f"{name} is locked")


@user.command("unlock")
@needs_data
@click.argument("name")
def unlock(settings: Settings, name: str) -> None:
    """Unlock a user's account."""
    _set_lock(settings, name, locked=False)
    _say(f"{name} is unlocked")


@user.command("second-factor")
@needs_data
@click.argument("name")
@click.option("--reset", is_flag=True, help="Remove all of them, with the recovery codes.")
@as_json
def second_factor(settings: Settings, name: str, reset: bool, as_json: bool) -> None:
    """List a user's second factors, or remove them for a person who has lost them.

    Check first that the request is from this person. Afterwards the password is enough to sign in. A mail
    notifies the user.
    """
    with open_world(settings) as world:
        find_user(world, name)
        if reset:
            for one in world.people.factors.of(name):
                world.people.factors.remove(name, one.name)
            note_command(world, FACTOR_RESET, name)
            mail_factor_change(world, name, "All second factors were removed", "the operator of the service")
            _say(f"{name} has no second factor any more: the password alone signs in")
            return
        rows: list[dict[str, Cell]] = [
            {"name": one.name, "kind": one.kind.value, "last_used_on": one.last_used_on}
            for one in world.people.factors.of(name)
        ]
    print_rows(rows, ("name", "kind", "last_used_on"), as_json=as_json)


@user.command("link")
@needs_data
@click.argument("name")
@click.argument("subject")
def link(settings: Settings, name: str, subject: str) -> None:
    """Let SUBJECT of the provider, the `sub` of its ID tokens, sign in as NAME."""
    with open_world(settings) as world:
        find_user(world, name)
        world.people.provider_links.add(_issuer(settings), subject, name, subject)
        note_command(world, ACCOUNT_LINKED, name)
    _say(f"{name} signs in with {settings.provider_name}")


@user.command("unlink")
@needs_data
@click.argument("name")
def unlink(settings: Settings, name: str) -> None:
    """Remove the link of NAME with a person of the provider."""
    with open_world(settings) as world:
        if not world.people.provider_links.remove(_issuer(settings), name):
            raise NotFound(f"{name} is not linked with anybody of the provider")
        note_command(world, ACCOUNT_UNLINKED, name)
    _say(f"{name} is unlinked")


def _issuer(settings: Settings) -> str:
    if not settings.oidc_issuer:
        raise NotFound("there is no provider: the setting oidc_issuer names it")
    return settings.oidc_issuer


def _set_lock(settings: Settings, name: str, *, locked: bool) -> None:
    with open_world(settings) as world:
        find_user(world, name)
        world.people.users.change(name, locked=locked)
        note_command(world, ACCOUNT_LOCKED if locked else ACCOUNT_UNLOCKED, name)


@click.group()
def token() -> None:
    """Add, list and revoke tokens of users."""


@token.command("add")
@needs_data
@click.argument("user_name", metavar="USER")
@click.argument("name", required=False)
@click.option("--description", default="", metavar="TEXT", help="What the token is for.")
@click.option("--expires-in", metavar="TIME", help='Seconds, or a duration such as "7 days".')
@click.option("--expires-on", metavar="MOMENT", help="UTC time stamp, ISO 8601.")
def add_token(
    settings: Settings,
    user_name: str,
    name: str | None,
    description: str,
    expires_in: str | None,
    expires_on: str | None,
) -> None:
    """Make a token, which is printed alone on stdout."""
    chosen = _token_name(name)
    description = _check("the description", accounts.free_text, description)
    with open_world(settings) as world:
        find_user(world, user_name)
        until = expiry(world.service.deadlines.now(), expires_in, expires_on)
        value = _mint(world, user_name, chosen, description=description, expires_on=until)
        note_command(world, TOKEN_MADE, user_name, chosen)
    _say(f"the token {chosen} of {user_name} " + (f"ends {until}" if until else "never ends") + ":")
    click.echo(value)


@token.command("list")
@needs_data
@click.argument("user_name", metavar="[USER]", required=False)
@as_json
def list_tokens(settings: Settings, user_name: str | None, as_json: bool) -> None:
    """List the tokens and sessions of USER, or of all users, never their values."""
    with open_world(settings) as world:
        rows = [
            token_row(name, one)
            for name in user_names(world, user_name)
            for one in world.people.tokens.of(name)
        ]
    print_rows(rows, TOKEN_HEADS if user_name else ("username", *TOKEN_HEADS), as_json=as_json)


def token_row(user: str, one: Token) -> dict[str, Cell]:
    """Return the values of a token by the columns of its listing."""
    return {
        "username": user,
        "token_name": one.name,
        "token_description": one.description,
        "created_on": one.created_on,
        "expires_on": one.expires_on,
        "last_used_on": one.last_used_on,
    }


@token.command("revoke")
@needs_data
@click.argument("user_name", metavar="USER")
@click.argument("name")
def revoke(settings: Settings, user_name: str, name: str) -> None:
    """End a token at once."""
    with open_world(settings) as world:
        find_user(world, user_name)
        found = world.people.tokens.by_name(user_name, name)
        if found is None or found.run is not None or not world.people.tokens.revoke(found.id):
            raise NotFound(f"{user_name} has no token {name}; curlew token list {user_name} shows them")
        note_command(world, TOKEN_REVOKED, user_name, name)
    _say(f"revoked {name}")


def _mint(world: World, user: str, name: str, description: str = "", expires_on: str | None = None) -> str:
    value = fresh()
    world.people.tokens.mint(user, name, digest(value), description=description, expires_on=expires_on)
    return value


def _token_name(name: str | None) -> str:
    return f"curl-{tail()}" if name is None else require_name(name, TOKEN_NAME, TOKEN_NAME_RULE)


def _password(name: str, from_stdin: bool) -> tuple[str, bool]:
    """Return the password, and whether it was generated here."""
    if from_stdin:
        return _check("the password", lambda sent: accounts.password(sent, name), sys.stdin.read()), False
    return tail(MADE_UP), True


def _check(what: str, check: Callable[[str], str], sent: str) -> str:
    try:
        return check(sent)
    except Invalid as wrong:
        raise Invalid(f"{what} cannot be taken: {wrong.detail}") from None


def _row(one: User) -> dict[str, Cell]:
    return {
        "username": one.name,
        "account_type": one.account.value,
        "email": one.email,
        "public": one.public,
        "locked": one.locked,
        "created_on": one.created_on,
    }


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)
