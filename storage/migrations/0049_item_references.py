"""Names of items in texts of others, kept with these texts, and noted of those that are there."""

from __future__ import annotations

from typing import Any

from chains.language.named_items import named_in_mapping, named_in_mounts, named_in_plan, named_in_prose
from storage.migrations.dialect import execute

NAMES = {
    "content": named_in_prose,
    "mapping": named_in_mapping,
    "config/spaces": named_in_mounts,
    "config/plan": named_in_plan,
}
STATEMENTS = (
    # `letter` and `owner` are empty where `name` is a shortname. Rows go and move with the leaf.
    """CREATE TABLE item_reference (
        item {int} NOT NULL, rel {text} NOT NULL, letter {text} NOT NULL, owner {text} NOT NULL,
        name {text} NOT NULL, PRIMARY KEY (item, rel, letter, owner, name),
        FOREIGN KEY (item, rel) REFERENCES leaf (item, rel) ON DELETE CASCADE ON UPDATE CASCADE
        ){clustered}""",
)
LATER = ("CREATE INDEX item_reference_name ON item_reference (letter, owner, name, item)",)
# A text at a time: some are large.
NEXT = f"""
SELECT l.item, l.rel, i.owner, l.text FROM leaf l JOIN item i ON i.id = l.item
WHERE (l.item > {{p}} OR (l.item = {{p}} AND l.rel > {{p}})) AND l.text IS NOT NULL
    AND l.rel IN ({", ".join(f"'{rel}'" for rel in NAMES)})
ORDER BY l.item, l.rel LIMIT 16"""
WRITE = "INSERT INTO item_reference (item, rel, letter, owner, name) VALUES ({p}, {p}, {p}, {p}, {p})"


def up(migrator: Any, db: Any) -> None:
    """Create the table, and note what is named by the texts that are there, few at a time."""
    execute(db, STATEMENTS)
    item, rel, mark = 0, "", db.param
    while some := db.execute_sql(NEXT.format(p=mark), (item, item, rel)).fetchall():
        rows = {
            (found, file, name.letter, name.owner or (owner if name.letter else ""), name.name)
            for found, file, owner, text in some
            for name in NAMES[file](text)
        }
        db.cursor().executemany(WRITE.format(p=mark), sorted(rows))
        item, rel = some[-1][:2]
    execute(db, LATER)
