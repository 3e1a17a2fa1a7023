"""Scopes of tokens, as people send them and as they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.rules.kinds import Kinds, ResourceKind, kind_in
from handlers.rules.scopes import ALL, SCOPES, ItemScope, scope_mask, scope_words, stored_scopes
from handlers.services.rights import item_access
from handlers.services.world import World
from vfs.access import NOTHING, Caller, Via
from vfs.errors import Invalid
from vfs.ports.items import Found
from vfs.ports.people import Token

MOST_ITEMS = 20
"""The number of single items that the scopes of a token name at most."""
FORMS = f"{', '.join(SCOPES)}, one item (/u/ann/j/report), or a part of one (read:/u/ann/p/sales)"


def read_scopes(world: World, me: str, sent: object) -> str | None:
    """Return scopes as they are stored; None for `all`, which restricts nothing. Raises Invalid."""
    words, single = list[str](), dict[ItemScope, None]()
    for one in _sent_words(sent):
        word, begins, path = (ALL, "/", one) if one.startswith("/") else one.partition(":/")
        if word not in SCOPES:
            raise Invalid(f'scopes: "{one[:80]}" is not a scope: send one or more of {FORMS}')
        if begins:
            single[_of_item(world, me, one, word, path)] = None
        else:
            words.append(word)
    if len(single) > MOST_ITEMS:
        raise Invalid(f"scopes: {len(single)} single items, of {MOST_ITEMS} at most: send fewer, or a word")
    if ALL in words:
        return None
    return " ".join((*(scope_words(" ".join(words)) if words else ()), *map(str, single)))


def scopes_of(world: World, token: Token) -> Mapping[str, Sequence[str]]:
    """Return the field `scopes` of a person's token: of each item the present path; {} without scopes."""
    if token.claim is None or token.via is not Via.TOKEN:
        return {}
    words, single = stored_scopes(token.claim)
    there = world.items.all_at([one.item for one in single], token.user)
    return {"scopes": [*words, *(_shown(world, token.user, one, there.get(one.item)) for one in single)]}


def _sent_words(sent: object) -> Sequence[str]:
    """Return the scopes of a list, or of a text with blanks between them."""
    words = sent.split() if isinstance(sent, str) else sent
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        raise Invalid(f"scopes must be a list of texts, or one text with blanks between: {FORMS}")
    if not words:
        raise Invalid(
            f"scopes is empty: send one or more of {FORMS}; leave scopes out for a token that may do all"
        )
    return words


def _of_item(world: World, me: str, sent: str, word: str, path: str) -> ItemScope:
    """Return the scope of an item by its path. Raises Invalid, alike for what is missing and invisible."""
    kinds = world.service.kinds
    owner, kind, name = _place(path, me, kinds)
    found = world.items.find(kind.name, owner, name, me) if kind is not None else None
    if kind is None or found is None or not item_access(world, found, Caller(me)):
        raise Invalid(
            f'scopes: there is no item "{sent[:120]}", or it is not visible to you: '
            "name one as /u/ann/j/report or /v1/code/jobs/report"
        )
    if scope_mask(word, kind) == NOTHING:
        raise Invalid(f'scopes: "{sent[:120]}": {word} does not include a {kind.noun}')
    return ItemScope(word, kind.name, found.item.id)


def _place(path: str, me: str, kinds: Kinds) -> tuple[str, ResourceKind | None, str]:
    """Return the owner, the kind and the name that a path stands for; the kind is None for other paths."""
    letters = {kind.letter: kind for kind in kinds.values()}
    names = path.strip("/").split("/")
    match names[1:] if names[0] == "v1" else names:
        case ["users", owner, family, folder, name]:
            return owner, kind_in(family, folder, kinds), name
        case ["u", owner, letter, name]:
            return owner, letters.get(letter), name
        case [family, folder, name]:
            return me, kind_in(family, folder, kinds), name
        case [letter, name]:
            return me, letters.get(letter), name
    return me, None, ""


def _shown(world: World, me: str, scope: ItemScope, found: Found | None) -> str:
    kind: ResourceKind | None = world.service.kinds.get(scope.kind)
    said = "" if scope.word == ALL else f"{scope.word}:"
    if kind is None or found is None or not item_access(world, found, Caller(me)):
        return f"{said}(a removed {kind.noun if kind is not None else 'item'})"
    return f"{said}/u/{found.item.owner}/{kind.letter}/{found.item.name}"
