"""What the drivers' errors are taken for."""

from __future__ import annotations

import peewee
import psycopg2
import pytest

from storage.database.errors import is_lost, meaning
from vfs.errors import Unavailable

GONE = "server closed the connection unexpectedly"


@pytest.mark.parametrize("kind", [psycopg2.DatabaseError, psycopg2.OperationalError, psycopg2.InterfaceError])
def test_a_server_that_ends_amid_its_answer_is_away(kind: type[psycopg2.Error]) -> None:
    assert is_lost(kind(GONE))
    assert isinstance(meaning(kind(GONE)), Unavailable)
    wrapped = peewee.DatabaseError(kind(GONE), GONE)
    assert is_lost(wrapped)
    assert isinstance(meaning(wrapped), Unavailable)


@pytest.mark.parametrize("kind", [psycopg2.ProgrammingError, psycopg2.DataError])
def test_a_mistake_of_ours_is_no_lost_connection(kind: type[psycopg2.Error]) -> None:
    mistake = kind("can't execute an empty query")
    assert not is_lost(mistake)
    assert meaning(mistake) is mistake
