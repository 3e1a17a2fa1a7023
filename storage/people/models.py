"""The tables as they are now, for statements that are put together rather than written out."""

from __future__ import annotations

import peewee


class Row(peewee.Model):
    """What the tables share: none is bound to a database, Database.query takes the query to one."""

    class Meta:
        legacy_table_names = False


class Shortname(Row):
    """Every short name ever given out."""

    name = peewee.TextField(primary_key=True)


class Item(Row):
    """A resource (vfs.ports.world.Item)."""

    id = peewee.BigAutoField()
    kind = peewee.TextField()
    owner = peewee.TextField()
    name = peewee.TextField()
    shortname = peewee.TextField(unique=True)
    created_on = peewee.TextField()
    last_modified = peewee.TextField()

    class Meta:
        indexes = ((("kind", "owner", "name"), True),)


class Leaf(Row):
    """A small file of an item (vfs.ports.world.Leaf); `revision` counts its writes."""

    item = peewee.BigIntegerField()
    rel = peewee.TextField()
    revision = peewee.BigIntegerField()
    created_on = peewee.TextField()
    last_modified = peewee.TextField()
    author = peewee.TextField(null=True)
    digest = peewee.TextField(null=True)
    size = peewee.BigIntegerField(null=True)
    media = peewee.TextField(null=True)
    text = peewee.TextField(null=True)

    class Meta:
        primary_key = peewee.CompositeKey("item", "rel")


class Share(Row):
    """A grant on an item (vfs.access.Grant); `kind` and `owner` repeat the item's."""

    item = peewee.BigIntegerField()
    target = peewee.TextField()
    letters = peewee.TextField()
    name = peewee.TextField()
    kind = peewee.TextField()
    owner = peewee.TextField()
    created_on = peewee.TextField()

    class Meta:
        primary_key = peewee.CompositeKey("item", "target")


class Account(Row):
    """A user (vfs.ports.people.User) and the digest of its password."""

    id = peewee.BigAutoField()
    name = peewee.TextField(unique=True)
    kind = peewee.TextField()
    password = peewee.TextField()
    email = peewee.TextField(null=True)
    verified = peewee.BooleanField()
    public = peewee.BooleanField()
    locked = peewee.BooleanField()
    item = peewee.BigIntegerField(unique=True)
    created_on = peewee.TextField()


class Member(Row):
    """A user's place in a group or, while `pending`, its invitation there (vfs.ports.groups.Member)."""

    group_ref = peewee.TextField()
    name = peewee.TextField()
    role = peewee.TextField()
    pending = peewee.BooleanField()
    created_on = peewee.TextField()
    invited_by = peewee.TextField(null=True)

    class Meta:
        primary_key = peewee.CompositeKey("group_ref", "name")


class Token(Row):
    """A credential (vfs.ports.people.Token) by the digest of its value."""

    id = peewee.BigAutoField()
    account = peewee.TextField()
    name = peewee.TextField()
    digest = peewee.TextField(unique=True)
    description = peewee.TextField()
    via = peewee.TextField()
    claim = peewee.TextField(null=True)
    run = peewee.BigIntegerField(null=True)
    created_on = peewee.TextField()
    expires_on = peewee.TextField(null=True)
    revoked_on = peewee.TextField(null=True)
    last_used_on = peewee.TextField(null=True)


class TokenUse(Row):
    """A line of a token's activity."""

    id = peewee.BigAutoField()
    token = peewee.BigIntegerField()
    used_on = peewee.TextField()
    what = peewee.TextField()


class Challenge(Row):
    """A pending verification of an e-mail address (vfs.ports.people.Challenge)."""

    uid = peewee.TextField(primary_key=True)
    account = peewee.TextField()
    email = peewee.TextField()
    code = peewee.TextField()
    tries = peewee.BigIntegerField()
    expires_on = peewee.TextField()


GROUND = (Shortname, Item, Leaf, Share, Account, Member, Token, TokenUse, Challenge)
