"""Comments as rows: the topics of many resources and groups, and the answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from handlers.graphql.asking import Ask, date
from handlers.graphql.selection import Row, Selection
from handlers.services.happenings import MENTION, names_in
from vfs.ports.social import TOP, Comment

MOST = 10_000
"""Maximum number of comments that one query reads."""
COUNTS = frozenset({"num_comments", "num_likes", "num_dislikes", "likes", "dislikes"})
# Comments cannot be liked here, so all numbers are 0.
REACTIONS: Mapping[str, int] = {"likes": 0, "dislikes": 0, "num_likes": 0, "num_dislikes": 0}


def topics_of(ask: Ask, items: Sequence[int], wanted: Selection) -> Mapping[int, list[Row]]:
    """Return the topics by item. If only numbers are asked for, do not read the texts."""
    counts = ask.world.social.threads.counts(items)
    if wanted.fields.keys() <= COUNTS:
        return {
            item: [{"num_comments": count, **REACTIONS} for count in topics.values()]
            for item, topics in counts.items()
        }
    comments = ask.world.social.threads.whole(items, MOST)
    return _Threads(ask, comments, counts, wanted).rows()


class _Threads:
    """The comments on some items, arranged as trees."""

    def __init__(
        self,
        ask: Ask,
        comments: Sequence[Comment],
        counts: Mapping[int, Mapping[int, int]],
        wanted: Selection,
    ) -> None:
        self._comments = comments
        self._counts = counts
        self._answers: dict[int, list[Comment]] = {}
        for one in comments:
            self._answers.setdefault(one.parent, []).append(one)
        self._people = _people(ask, comments, wanted)
        self._adds_mentions = _asks_mentions(wanted)

    def rows(self) -> dict[int, list[Row]]:
        """Return the topics by item, oldest first, each with its answers."""
        found: dict[int, list[Row]] = {}
        made: dict[int, Row] = {}
        for one in self._comments:
            row = made[one.id] = self._row(one)
            if one.parent == TOP:
                found.setdefault(one.item, []).append(row)
            elif above := made.get(one.parent):
                above["replies"].append(row)
        return found

    def _row(self, one: Comment) -> Row:
        answers: list[Row] = []
        nonces = {name: nonce_of(one.id, name) for name in self._users_in(one)}
        return {
            "topic_id": str(one.id),
            "comment_id": str(one.id),
            "slug": one.slug,
            "message": MENTION.sub(lambda found: f"@{nonces.get(found[1], found[1])}", one.text),
            "depth": one.depth - 1,
            "deleted": one.deleted,
            "edited": one.edited,
            "created": date(one.created_on),
            "updated": date(one.last_modified),
            "creator": self._people[one.author],
            "mentions": [{"nonce": nonce, "user": self._people[name]} for name, nonce in nonces.items()],
            "num_comments": self._counts.get(one.item, {}).get(one.topic, 0),
            "num_replies": one.replies,
            "comments": answers,
            "replies": answers,
            **REACTIONS,
        }

    def _users_in(self, one: Comment) -> list[str]:
        """Return the mentioned users that the caller sees, if mentions are asked for."""
        return [name for name in names_in(one.text) if self._adds_mentions and name in self._people]


def nonce_of(comment: int, user: str) -> str:
    """Return the mark for a user in the text of a comment, for clients that ask for its mentions."""
    return f"_m{blake2b(f'{comment} {user}'.encode(), digest_size=8).hexdigest()}"


def _people(ask: Ask, comments: Sequence[Comment], wanted: Selection) -> Mapping[str, Row]:
    """Return the rows of the authors, and of the mentioned users that the caller sees."""
    below = Selection()
    _merge_people(wanted, below)
    names = [one.author for one in comments]
    if _asks_mentions(wanted):
        named = {name for one in comments for name in names_in(one.text)}
        names += [name for name in ask.people() if name in named]
    return ask.load.people(ask, list(dict.fromkeys(names)), below)


def _merge_people(wanted: Selection, into: Selection) -> None:
    into.add(wanted.below(("creator",)))
    into.add(wanted.below(("mentions",)).below(("user",)))
    for name in ("comments", "replies"):
        if name in wanted:
            _merge_people(wanted[name], into)


def _asks_mentions(wanted: Selection) -> bool:
    return "mentions" in wanted or any(
        _asks_mentions(wanted[name]) for name in ("comments", "replies") if name in wanted
    )
