"""Former contents of leaves, and triggers that keep and count them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from storage.migrations.dialect import create_trigger, dialect, execute
from storage.migrations.triggers import OCTETS, ROW, CountedBytes, count_bytes

TABLES = (
    # `kept`: 0 if former contents are not kept, 2 if the content is an autosave, else 1. `since` is when the
    # content, or the first of several autosaves that count as one, was written; NULL: at last_modified.
    "ALTER TABLE leaf ADD COLUMN kept {int} NOT NULL DEFAULT 1",
    "ALTER TABLE leaf ADD COLUMN since {text}",
    # Texts by digest, each once for an item.
    """CREATE TABLE version_text (
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, digest {text} NOT NULL,
        text {text} NOT NULL, PRIMARY KEY (item, digest)){clustered}""",
    # The file had this content from `since` to `until`.
    """CREATE TABLE leaf_version (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, rel {text} NOT NULL,
        since {text} NOT NULL, until {text} NOT NULL, author {text}, digest {text}, size {int} NOT NULL,
        media {text}, text_digest {text},
        FOREIGN KEY (item, text_digest) REFERENCES version_text (item, digest))""",
    "CREATE INDEX leaf_version_file ON leaf_version (item, rel, id)",
    "CREATE INDEX leaf_version_text ON leaf_version (item, text_digest)",
    "CREATE INDEX leaf_version_until ON leaf_version (until)",
    "CREATE INDEX leaf_version_digest ON leaf_version (digest) WHERE digest IS NOT NULL",
)
# Texts of the service, secrets, values of single users, and files that are derived from others.
NOT_KEPT = """
UPDATE leaf SET kept = 0 WHERE author IS NULL OR rel >= 'config/env/' AND rel < 'config/env0'
    OR rel >= 'hooks/' AND rel < 'hooks0' OR rel >= 'tags/' AND rel < 'tags0'
    OR rel >= 'notifications/' AND rel < 'notifications0' OR rel >= 'runs/' AND rel < 'runs0'
    OR rel IN ('config/access', 'config/plan', 'json/data.json', 'json/meta_data.json')"""
WITHOUT_DIGEST = """
SELECT item, rel, text FROM leaf WHERE text IS NOT NULL AND text_digest IS NULL ORDER BY item, rel LIMIT 16"""
SET_DIGEST = "UPDATE leaf SET text_digest = {p} WHERE item = {p} AND rel = {p}"
KEEP = """
INSERT INTO version_text (item, digest, text)
SELECT OLD.item, OLD.text_digest, OLD.text WHERE OLD.text IS NOT NULL ON CONFLICT (item, digest) DO NOTHING;
INSERT INTO leaf_version (item, rel, since, until, author, digest, size, media, text_digest)
VALUES (OLD.item, OLD.rel, coalesce(OLD.since, OLD.last_modified), NEW.last_modified, OLD.author,
    OLD.digest, coalesce(OLD.size, {octets}, 0), OLD.media, OLD.text_digest);"""
FORGET = """
DELETE FROM version_text WHERE item = OLD.item AND digest = OLD.text_digest AND NOT EXISTS (
    SELECT 1 FROM leaf_version v WHERE v.item = OLD.item AND v.text_digest = OLD.text_digest);"""
# Two files that get one name have one list of versions.
FOLLOW = "UPDATE leaf_version SET rel = NEW.rel WHERE item = OLD.item AND rel = OLD.rel;"


def up(migrator: Any, db: Any) -> None:
    """Create the tables and triggers. A version counts like a leaf, for the owner of its item."""
    kind = dialect(db)
    execute(db, TABLES)
    execute(db, [NOT_KEPT])
    _add_digests(db)
    differs = "IS NOT" if kind == "sqlite" else "IS DISTINCT FROM"
    create_trigger(
        db,
        "leaf_version_keep",
        "AFTER UPDATE OF digest, text_digest ON leaf",
        f"OLD.kept > 0 AND (OLD.digest {differs} NEW.digest OR OLD.text_digest {differs} NEW.text_digest)"
        " AND NOT (OLD.kept = 2 AND OLD.since = NEW.since)",
        KEEP.format(octets=OCTETS[kind].format(r="OLD")),
    )
    create_trigger(db, "leaf_version_move", "AFTER UPDATE OF rel ON leaf", "OLD.rel <> NEW.rel", FOLLOW)
    create_trigger(
        db, "leaf_version_forget", "AFTER DELETE ON leaf_version", "OLD.text_digest IS NOT NULL", FORGET
    )
    count_bytes(db, CountedBytes("leaf_version", "{r}.item", f"({ROW} + {{r}}.size)", "size", always=True))


def _add_digests(db: Any) -> None:
    """Add the digests of texts that were stored by releases without digests."""
    write = SET_DIGEST.format(p=db.param)
    while some := db.execute_sql(WITHOUT_DIGEST).fetchall():
        rows = [(sha256(text.encode()).hexdigest(), item, rel) for item, rel, text in some]
        db.cursor().executemany(write, rows)
