"""Items with their leaves and shares, and people with their memberships, tokens and challenges."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

# Text compares by code point on both databases, so that order and ranges of paths are the same.

STATEMENTS = (
    "CREATE TABLE shortname (name {text} PRIMARY KEY){clustered}",
    """CREATE TABLE item (
        id {id}, kind {text} NOT NULL, owner {text} NOT NULL, name {text} NOT NULL,
        shortname {text} NOT NULL UNIQUE, created_on {text} NOT NULL, last_modified {text} NOT NULL,
        UNIQUE (kind, owner, name))""",
    # `text` stands last: reading the columns before it does not touch the pages of a long text.
    """CREATE TABLE leaf (
        item {int} NOT NULL REFERENCES item (id), rel {text} NOT NULL, revision {int} NOT NULL,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, author {text},
        digest {text}, size {int}, media {text}, text {text}, PRIMARY KEY (item, rel)){clustered}""",
    "CREATE INDEX leaf_digest ON leaf (digest) WHERE digest IS NOT NULL",
    # `kind` and `owner` repeat the item's, which never change: a listing goes from principals to shares.
    """CREATE TABLE share (
        item {int} NOT NULL REFERENCES item (id), target {text} NOT NULL, letters {text} NOT NULL,
        name {text} NOT NULL, kind {text} NOT NULL, owner {text} NOT NULL, created_on {text} NOT NULL,
        PRIMARY KEY (item, target)){clustered}""",
    "CREATE INDEX share_target ON share (target, kind, owner)",
    """CREATE TABLE account (
        id {id}, name {text} NOT NULL UNIQUE, kind {text} NOT NULL, password {text} NOT NULL, email {text},
        verified {bool} NOT NULL, public {bool} NOT NULL, locked {bool} NOT NULL,
        item {int} NOT NULL UNIQUE REFERENCES item (id), created_on {text} NOT NULL)""",
    "CREATE UNIQUE INDEX account_email ON account (lower(email))",
    # `group_ref` is written as the target of a share: `@user~group` or `+org~group`.
    """CREATE TABLE member (
        group_ref {text} NOT NULL, name {text} NOT NULL, role {text} NOT NULL, pending {bool} NOT NULL,
        created_on {text} NOT NULL, PRIMARY KEY (group_ref, name)){clustered}""",
    "CREATE INDEX member_name ON member (name, group_ref)",
    """CREATE TABLE token (
        id {id}, account {text} NOT NULL, name {text} NOT NULL, digest {text} NOT NULL UNIQUE,
        description {text} NOT NULL, via {text} NOT NULL, claim {text}, run {int}, created_on {text} NOT NULL,
        expires_on {text}, revoked_on {text}, last_used_on {text})""",
    "CREATE UNIQUE INDEX token_name ON token (account, name) WHERE revoked_on IS NULL",
    "CREATE INDEX token_account ON token (account, name)",
    "CREATE INDEX token_run ON token (run) WHERE run IS NOT NULL",
    """CREATE TABLE token_use (
        id {id}, token {int} NOT NULL,
        used_on {text} NOT NULL, what {text} NOT NULL)""",
    "CREATE INDEX token_use_token ON token_use (token, id)",
    """CREATE TABLE challenge (
        uid {text} PRIMARY KEY, account {text} NOT NULL, email {text} NOT NULL, code {text} NOT NULL,
        tries {int} NOT NULL, expires_on {text} NOT NULL){clustered}""",
    "CREATE INDEX challenge_account ON challenge (account)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
