"""Ids of a container on the host, for every user of its image."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.podman.confinement import Confinement, step_container, who_runs
from chains.podman.container_spec import StepUser, create_request, extents, user_of
from tests.chains.podman.test_confinement import STEP

IDS = 65_536


@given(st.integers(0, IDS - 1), st.integers(0, IDS - 1), st.integers(0, 1 << 20))
@example(0, IDS - 1, 0)
@example(7, 8, 0)
@example(9, 9, 0)
def test_a_user_and_the_owner_change_places_and_no_other_id_moves(
    inside: int, owner: int, first: int
) -> None:
    parts = extents(first, IDS, inside, owner)
    assert [part.inside for part in parts] == [
        sum(part.size for part in parts[:n]) for n in range(len(parts))
    ]
    ids = {inside, owner, *(part.inside + n for part in parts for n in (0, part.size - 1))}
    found = {
        id: part.host + id - part.inside
        for part in parts
        for id in ids
        if part.inside <= id < part.inside + part.size
    }
    assert sum(part.size for part in parts) == IDS
    assert found[inside] == first + owner
    assert found[owner] == first + inside
    assert all(found[id] == first + id for id in found if id not in (inside, owner))
    assert all(part.host - part.inside == first for part in parts if part.size > 1)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("1000:70", StepUser(1000, 70)),
        ("1000", StepUser(1000, 0)),
        ("65535:65535", StepUser(65535, 65535)),
        *(
            (word, None)
            for word in ("", "0", "0:5", "root", "app", "65536", "1:65536", "1:app", "-1", "1:2:3")
        ),
    ],
)
def test_numbers_name_a_user(said: str, found: StepUser | None) -> None:
    assert user_of({"Config": {"User": said}}, IDS) == found
    assert user_of({"Config": None}, IDS) is None


def test_a_step_whose_users_are_not_mapped_is_nobody() -> None:
    mapped, plain = Confinement(Path("/s")), Confinement(Path("/s"), first_id=None)
    app = StepUser(1000, 70)
    assert (who_runs(mapped, app), who_runs(mapped, None)) == (app, StepUser(65_532, 65_532))
    assert who_runs(plain, app) == StepUser(65_532, 65_532)
    body = create_request(step_container(STEP, mapped, "i", app), "n")
    assert body["user"] == "1000:70"
    assert {"container_id": 1000, "host_id": 165_532, "size": 1} in body["idmappings"]["UIDMap"]
    assert {"container_id": 70, "host_id": 165_532, "size": 1} in body["idmappings"]["GIDMap"]
    unmapped = step_container(STEP, plain, "i", app)
    assert (create_request(unmapped, "n")["user"], unmapped.maps) == ("65532:65532", [[], []])
