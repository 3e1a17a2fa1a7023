"""Searches are planned for their words: a plan for all of them takes seconds for a common one."""

from __future__ import annotations

from storage.database.database import Database
from storage.tree.search import StoredSearch
from vfs.ports.search import Question

PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE :like"


def test_no_plan_is_kept_for_a_search(database: Database) -> None:
    search = StoredSearch(database)
    wanted = Question(caller="alice", kinds=("doc",), readable=("doc",), words=("sales",))
    with database.session():
        for _ in range(8):
            assert not search.find(wanted).found
            assert search.count(wanted) == {}
        if database.dialect == "postgresql":
            assert database.value(PREPARED, like="%search_word%") == 0
