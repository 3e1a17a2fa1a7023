"""The subjects of notices, found by the paths that they had before 0044."""

from __future__ import annotations

import re
from typing import Any

OLD = "SELECT id, account, kind, path, text, source, created_on FROM notice WHERE item = 0"
ITEM = "SELECT id FROM item WHERE kind = :kind AND owner = :owner AND name = :name AND created_on <= :moment"
GROUP = "SELECT item FROM people_group WHERE ref = :ref AND created_on <= :moment"
PERSON = "SELECT item FROM account WHERE name = :name"
COMMENT = """
SELECT id FROM comment WHERE item = :item AND parent = :parent AND author = :author AND slug = :slug
    AND NOT deleted AND created_on <= :moment"""
INVITED = """
SELECT 1 FROM member m JOIN people_group g ON g.ref = m.group_ref
WHERE g.item = :item AND m.name = :account AND m.pending"""
ASKED = """
SELECT 1 FROM tie t JOIN account a ON a.name = t.name
WHERE a.item = :item AND t.other = :account AND t.kind = 'connection' AND t.pending"""
SET = """
UPDATE notice SET item = :item, comment = :comment, path = :path, text = :text WHERE id = :id"""
DROP = "DELETE FROM notice WHERE item = 0"

RESOURCE = re.compile(
    r"/v1/users/(?P<owner>[^/]+)/(?:vis|code)/(?P<kind>plot|grid|doc|mail|repo|job|space)s/(?P<name>[^/]+)"
    r"(?:/(?P<below>.*))?"
)
GROUPS = re.compile(
    r"/v1/admin/(?:groups/(?P<user>@[^/]+)|orgs/(?P<org>[^/]+)(?:/groups/(?P<group>[^/]+))?)(?:/(?P<below>.*))?"
)
INVITE = re.compile(r"/v1/admin/invites/(?P<ref>.+)")
USER = re.compile(r"/v1/users/(?P<name>[^/]+)")
SPEAKER = re.compile(r"@([a-z0-9_]+) on the ")
MEMBER = re.compile(r"(invited you to) \S+ as .*")


def convert(db: Any) -> None:
    """Set the item of notices from their path. Delete notices whose path leads to no item."""
    for old in db.execute_sql(OLD).fetchall():
        _convert(db, *old)
    db.execute_sql(DROP)


def _convert(
    db: Any, id: int, account: str, kind: str, path: str, text: str, source: str, moment: str
) -> None:
    """Set the subject of a notice, if its path leads to an item."""
    item, below = _item(db, path, moment)
    comment = _comment(db, item, below, moment) if item and kind in ("commented", "answered") else None
    if not item or (kind in ("commented", "answered") and comment is None):
        return
    if kind == "invite" and not (
        _value(db, INVITED, item=item, account=account) or _value(db, ASKED, item=item, account=account)
    ):
        return
    words = _words(kind, path, text, source)
    _run(db, SET, id=id, item=item, comment=comment, path=below, text=words)


def _item(db: Any, path: str, moment: str) -> tuple[int, str]:
    """Return the item at a path (0: none), and the rest of the path."""
    if match := RESOURCE.fullmatch(path):
        key = {name: match[name] for name in ("kind", "owner", "name")}
        return _value(db, ITEM, **key, moment=moment), match["below"] or ""
    if match := INVITE.fullmatch(path):
        ref = match["ref"]
        if ref.startswith("@") and "~" not in ref:
            return _value(db, PERSON, name=ref[1:]), ""
        return _value(db, GROUP, ref=ref, moment=moment), ""
    if match := GROUPS.fullmatch(path):
        org = f"+{match['org']}" + (f"~{match['group']}" if match["group"] else "")
        return _value(db, GROUP, ref=match["user"] or org, moment=moment), match["below"] or ""
    match = USER.fullmatch(path)
    return (_value(db, PERSON, name=match["name"]) if match else 0), ""


def _comment(db: Any, item: int, below: str, moment: str) -> int | None:
    """Return the comment at a path of threads, by the names in it."""
    parent = 0
    for name in below.split("/")[1::2]:
        author, _, slug = name.removeprefix("@").partition("~")
        parent = _value(db, COMMENT, item=item, parent=parent, author=author, slug=slug, moment=moment)
        if not parent:
            return None
    return parent or None


def _words(kind: str, path: str, text: str, source: str) -> str:
    """Return the text with braces for words that are looked up when it is read."""
    if kind in ("commented", "answered"):
        speaker = SPEAKER.match(text)
        return f"@{speaker[1] if speaker else source.removeprefix('@')} on the {{thing}}: {{comment}}"
    if kind == "shared":
        return f"{text.partition(' ')[0]} shared the {{thing}} with you: {{letters}}."
    if kind == "invite":
        return MEMBER.sub(r"\1 {group} as {role}.", text.replace(": POST yes or no to its accept.", "."))
    if match := RESOURCE.fullmatch(path):
        return text.replace(f"/u/{match['owner']}/j/{match['name']}", "{page}")
    return text


def _value(db: Any, sql: str, **named: object) -> int:
    row = _run(db, sql, **named).fetchone()
    return int(row[0]) if row else 0


def _run(db: Any, sql: str, **named: object) -> Any:
    """Execute a statement with `:name` parameters."""
    order = re.findall(r":(\w+)", sql)
    return db.execute_sql(re.sub(r":\w+", db.param, sql), tuple(named[name] for name in order))
