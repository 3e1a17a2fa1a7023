"""Applications, approvals of them by people, their connections; codes for forgotten passwords."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import dialect, execute

STATEMENTS = (
    # `redirects` a line each, `scopes` with blanks between.
    """CREATE TABLE application (
        id {id}, client {text} NOT NULL UNIQUE, owner {text}, name {text} NOT NULL,
        description {text} NOT NULL, redirects {text} NOT NULL, scopes {text} NOT NULL,
        created_on {text} NOT NULL)""",
    "CREATE INDEX application_owner ON application (owner)",
    """CREATE TABLE approval (
        code {text} PRIMARY KEY, client {text} NOT NULL REFERENCES application (client) ON DELETE CASCADE,
        account {text} NOT NULL, approver {int} NOT NULL, redirect {text} NOT NULL,
        challenge {text} NOT NULL, scope {text} NOT NULL, expires_on {text} NOT NULL,
        ends_on {text} NOT NULL, token {int}){clustered}""",
    "CREATE INDEX approval_client ON approval (client)",
    "CREATE INDEX approval_expires ON approval (expires_on)",
    # A token that was revoked gives way to a new one of its name; its number is never given again.
    """CREATE TABLE connection (
        token {int} PRIMARY KEY, client {text} NOT NULL REFERENCES application (client) ON DELETE CASCADE,
        account {text} NOT NULL, approver {int} NOT NULL, scope {text} NOT NULL,
        ends_on {text} NOT NULL){clustered}""",
    "CREATE INDEX connection_client ON connection (client)",
    "CREATE INDEX connection_ends ON connection (ends_on)",
    """CREATE TABLE refresh (
        digest {text} PRIMARY KEY, token {int} NOT NULL REFERENCES connection (token) ON DELETE CASCADE,
        renewed {bool} NOT NULL){clustered}""",
    "CREATE INDEX refresh_token ON refresh (token)",
    """CREATE TABLE password_reset (
        code {text} PRIMARY KEY, account {text} NOT NULL, email {text} NOT NULL,
        expires_on {text} NOT NULL){clustered}""",
    "CREATE INDEX password_reset_account ON password_reset (account)",
    # The id under which the published command line introduces itself, with the redirects that it uses.
    """INSERT INTO application (client, owner, name, description, redirects, scopes, created_on) VALUES (
        'novem-cli', NULL, 'Command line', 'the command line',
        'http://localhost/callback' || {line} || 'http://127.0.0.1/callback' || {line} ||
        'urn:ietf:wg:oauth:2.0:oob', 'all read vis code', '2026-11-22T00:00:00.000Z')""",
)
LINE = {"sqlite": "char(10)", "postgresql": "chr(10)"}


def up(migrator: Any, db: Any) -> None:
    """Create the tables, and register the published command line."""
    execute(db, STATEMENTS, line=LINE[dialect(db)])
