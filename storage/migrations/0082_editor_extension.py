"""The registration of the published editor extension, like that of the command line."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    """INSERT INTO application (client, owner, name, description, redirects, scopes, created_on) VALUES (
        'novem-vscode', NULL, 'Editor extension', 'the extension of the editor VS Code',
        'vscode://novem.novem-vscode/oauth/callback', 'all read vis code', '2026-11-30T00:00:00.000Z')
    ON CONFLICT DO NOTHING""",
)


def up(migrator: Any, db: Any) -> None:
    """Add the application, unless an operator has registered it."""
    execute(db, STATEMENTS)
