"""Comment threads: comments on a resource or in a group, and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from handlers.services.descriptions import description_html
from handlers.services.happenings import newly_named, publish_comment, publish_mentions, publish_reply
from handlers.services.notices import MENTIONED
from handlers.services.posting import listeners, notify
from handlers.services.rights import person_access
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP, ORG
from vfs.access import Access, Verb
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Invalid, NotFound
from vfs.nodes import KIB, Dir, Each, File, Loop, Named, Node, Rules
from vfs.param import Param
from vfs.parts import boolean
from vfs.path import NAME, NAME_RULE, Path
from vfs.ports.social import TOP, Comment
from vfs.rules import ANYONE, COVERED, SIGNED_IN, R, Rule, W, X

FOLDER = "threads"
SLUG = re.compile(rf"(?:@({NAME.pattern})~)?({NAME.pattern})")
SLUG_RULE = f"{NAME_RULE}; or the same after your own @<user>~"
DEEPEST = 32
LARGEST = 64 * KIB
SWITCHES = ("config/comments", "config/options/comments")

TOPIC: Param[Comment] = Param("topic")
COMMENT: Param[Comment] = Param("comment")
READER = R | X


def comment(context: Context[World]) -> Comment | None:
    """Return the innermost comment of the path; None at the folder of threads."""
    return context.get(COMMENT) if COMMENT in context else context.get(TOPIC)


def find_comment(context: Context[World], name: str) -> Comment | None:
    """Return the comment with a name in this folder: `@author~slug`, or the slug of the caller's own."""
    author, slug = _meant(context, name)
    above = comment(context)
    found: Comment | None = context.world.social.threads.find(
        context.here.id, above.id if above else TOP, author, slug
    )
    return found


def comments(context: Context[World]) -> Iterator[Named]:
    """Yield the comments of this folder, oldest first."""
    above = comment(context)
    for one in context.world.social.threads.on(context.here.id, above.id if above else TOP):
        yield _row(one)


def shown_comment(context: Context[World]) -> Named:
    """Return the innermost comment of a path with its times, which its text and answers share."""
    return _row(_here(context))


def _row(one: Comment) -> Named:
    """Return the row of a comment. Only a new text changes it, so its last change is its last edit."""
    was_edited = one.edited and not one.deleted
    extra = {
        "author": one.author,
        "slug": one.slug,
        "edited": one.edited,
        "edited_on": one.last_modified if was_edited else None,
        "deleted": one.deleted,
        "replies": one.replies,
    }
    return Named(one.name, one.created_on, one.last_modified, one, extra=extra)


def begin(context: Context[World]) -> Reply:
    """Make a comment of the caller's, with the text of the request, if any."""
    author, slug = _meant(context, context.name)
    names = context.rel.split("/")
    above = _above(context, names)
    if above is not None and above.depth >= DEEPEST:
        raise Invalid(f"answers nest {DEEPEST} deep at most: answer a comment further up")
    body = context.call.body
    text = "" if body.empty() else body.text(LARGEST)
    made: Comment = context.world.social.threads.add(context.here.id, above, author, slug, text)
    if text:
        _announce(context, made, above, _below(context, [*names[:-1], made.name]), text)
    where = str(Path(context.requested[:-1]) / made.name)
    return Reply(f"created {where}\n", Outcome.CREATED, location=where)


def text_of(context: Context[World]) -> Data:
    """Return a comment's text; as JSON also rendered as HTML."""
    here = _here(context)
    said, shown = here.text, description_html(context.world, here.text, here.author)
    return Data({"raw": said, "html": shown}, lambda faces: str(faces["raw"]))


def say(context: Context[World], text: str) -> None:
    """Write a comment, or change its text.

    The first text notifies the owner and those who wrote in the thread before. A later text notifies only
    users whom it newly names.
    """
    one = _here(context)
    if one.deleted:
        raise Conflict("this comment was deleted and is kept for its answers only: write a new one")
    if text == one.text:
        return
    context.world.social.threads.write(one, text)
    names = context.rel.split("/")[:-1]
    below = _below(context, names)
    if text and not one.text and not one.edited:
        _announce(context, one, _above(context, names), below, text)
    else:
        _mention(context, one, below, one.text, text)


def remove(context: Context[World]) -> str:
    """Remove a comment; one with answers stays in place, marked as deleted."""
    one = _here(context)
    context.world.social.threads.remove(one)
    return f"removed {context.requested}\n"


def _meant(context: Context[World], name: str) -> tuple[str, str]:
    """Return the author and the slug that a name spells."""
    match = SLUG.fullmatch(name)
    return (match[1] or context.me, match[2]) if match else ("", "")


def _here(context: Context[World]) -> Comment:
    found = comment(context)
    if found is None:
        raise NotFound(f"there is no comment at {context.requested}")
    return found


def _above(context: Context[World], names: Sequence[str]) -> Comment | None:
    """Return the comment that another one answers, found by the path of the other, which may be a new one."""
    names = names[names.index(FOLDER) + 1 : -1 : 2]
    above: Comment | None = None
    for name in names:
        above = context.world.social.threads.find(
            context.here.id, above.id if above else TOP, *_meant(context, name)
        )
        if above is None:
            raise NotFound(f"there is no {context.requested}, or it is not visible to you")
    return above


def _below(context: Context[World], names: Sequence[str]) -> str:
    """Return the path of a comment below its item, with the full name of each comment."""
    start = names.index(FOLDER)
    wholes = ("@{}~{}".format(*_meant(context, name)) for name in names[start + 1 :: 2])
    return f"{FOLDER}/{'/comments/'.join(wholes)}"


def _announce(context: Context[World], one: Comment, answered: Comment | None, below: str, text: str) -> None:
    """Notify the owner, writers in the thread and users with a `notifications` level of a new comment.

    Users who may no longer read it are not notified.
    """
    item, world = context.here, context.world
    publish_comment(world, context.me, item.id, below)
    if answered is not None and not answered.deleted and answered.author != context.me:
        publish_reply(world, context.me, item.id, below, answered.author)
    named = _mention(context, one, below, "", text)
    kind = "commented" if one.depth == 1 else "answered"
    notice = f"@{context.me} on the {{thing}}: {{comment}}"
    others = sorted(_circle(context, one) - named - {context.me})
    hearing = [user for user in others if _may_read(context, user)]
    notify(world, item, kind, notice, context.me, *hearing, below=below, comment=one.id)


def _mention(context: Context[World], one: Comment, below: str, before: str, text: str) -> set[str]:
    """Notify users whom a text newly names and who may read it, and return them.

    Only users whom the author may see, or who are part of the thread, are notified.
    """
    names = newly_named(context.me, before, text)
    if not names:
        return set()
    world, circle, notice = (
        context.world,
        _circle(context, one),
        f"@{context.me} on the {{thing}}: {{comment}}",
    )
    known = [name for name in names if name in circle or world.people.users.sees(context.me, name)]
    named = [name for name in known if _may_read(context, name)]
    publish_mentions(world, context.me, context.here.id, below, named)
    notify(world, context.here, MENTIONED, notice, context.me, *named, below=below, comment=one.id)
    return set(named)


def _circle(context: Context[World], one: Comment) -> set[str]:
    """Return the owner, the writers in the thread, and users who set a notification level here."""
    world, item = context.world, context.here
    return {item.owner, *world.social.threads.speakers(one.topic), *listeners(world, item)}


def _may_read(context: Context[World], user: str) -> bool:
    """Return whether a user may read the comments here now."""
    item, world = context.here, context.world
    if (ref := _group(context)) is not None:
        member = world.people.members.find(ref, user)
        return member is not None and not member.pending
    return bool(person_access(world, item, user) & (Access.READ | Access.EXECUTE))


def _group(context: Context[World]) -> str | None:
    """Return the reference of the group whose item this is."""
    relation = context.get(GROUP) or context.get(ORG)
    if relation is None or relation.group.item.id != context.here.id:
        return None
    return relation.group.ref


def _open(context: Context[World]) -> bool:
    leaves = [context.world.leaves.get(context.here.id, rel) for rel in SWITCHES]
    return all(leaf is None or boolean(leaf.text or "yes") for leaf in leaves)


def _is_author(context: Context[World]) -> bool:
    one = comment(context)
    return one is not None and one.author == context.caller.name


OPEN = Rule("comments on", _open, "comments, which are switched off here (config/comments)")
AUTHOR = Rule("author", _is_author, "to be who wrote it") & COVERED


UNDER_OWN_NAME = Rule(
    "own name",
    lambda p: p.caller.name is not None and _meant(p, p.name)[0] in ("", p.caller.name),
    "a name of your own: a slug alone, or after your own @<user>~",
)


def threads(writer: Rule = READER, listed: Rule = ANYONE) -> Each[Comment]:
    """Return the node `threads` of a resource or group.

    Its readers and users may read comments; `writer` may write them while comments are on; writers of the
    resource may remove those of others.
    """
    inside = {
        "msg": File(
            text_of,
            say,
            clear=False,
            largest=LARGEST,
            rules={Verb.WRITE: AUTHOR & writer & OPEN},
            about="the text, markdown; with JSON `{raw, html}`",
        )
    }
    may = {
        Verb.READ: READER,
        Verb.CREATE: writer & SIGNED_IN & COVERED & OPEN & UNDER_OWN_NAME,
        Verb.REMOVE: AUTHOR | W,
    }
    answer = Dir(
        {**inside, "comments": Loop(up=1)},
        shown=shown_comment,
        about="a comment, and its answers in `comments`",
    )
    answers = _folder(COMMENT, answer, may, ANYONE, "answers, oldest first")
    topic = Dir({**inside, "comments": answers}, shown=shown_comment, about="a thread, by who began it")
    return _folder(TOPIC, topic, may, listed, "comment threads, oldest first")


def _folder(param: Param[Comment], of: Node, rules: Rules, listed: Rule, about: str) -> Each[Comment]:
    return Each(
        param,
        of,
        names=comments,
        has=find_comment,
        create=begin,
        remove=remove,
        name=SLUG,
        name_rule=SLUG_RULE,
        candid=True,
        rules=rules,
        listed=listed,
        still=True,
        about=about,
    )


THREADS = threads()
