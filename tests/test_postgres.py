"""The databases that the suite hands out."""

import psycopg2
import pytest

from tests.kit.postgres import Postgres


def test_a_database_url_is_empty_and_writable(database_url: str) -> None:
    assert database_url.partition(":")[0] in {"sqlite", "postgresql"}


@pytest.mark.postgres
def test_a_copy_holds_what_was_prepared_once(postgres: Postgres) -> None:
    prepared = []

    def prepare(url: str) -> None:
        prepared.append(url)
        connection = psycopg2.connect(url)
        with connection, connection.cursor() as cursor:
            cursor.execute("create table bird (name text)")
        connection.close()

    urls = [postgres.copy_of("birds", prepare) for _ in range(2)]
    assert len(prepared) == 1
    assert len({*urls, *prepared}) == 3
    for url in urls:
        connection = psycopg2.connect(url)
        with connection, connection.cursor() as cursor:
            cursor.execute("select count(*) from bird")
            assert cursor.fetchone() == (0,)
        connection.close()
        postgres.drop(url)
