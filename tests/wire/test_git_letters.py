"""What git may do with a repo by each letter of a share, which the matrix of rights does not ask."""

from __future__ import annotations

import base64

import pytest

from tests.kit.service import Application

ROLES = ("members", "founders")


@pytest.mark.parametrize("role", ["", *ROLES])
def test_git_reads_with_r_and_writes_with_w(service: Application, role: str) -> None:
    service.arrange("user", ["alice", "public"], [])
    alice = [("Authorization", f"Bearer {service.user('alice')}")]
    service.call("PUT", "/v1/users/alice/code/repos/count", alice, b"")
    said = {}
    for letter in "rxwd":
        who, to = f"user-{letter}", f"@user-{letter}"
        token = service.user(who)
        if role:
            to = f"+acme~by_{letter}"
            service.arrange("member", [to, "alice", "members"], [])
            service.arrange("member", [to, who, role], [])
        service.arrange("share", ["repo", "alice/count", to, letter], [])
        pair = base64.b64encode(f"{who}:{token}".encode()).decode()
        for program in ("upload", "receive"):
            path = f"/git/alice/count.git/info/refs?service=git-{program}-pack"
            answer = service.call("GET", path, [("Authorization", f"Basic {pair}")], b"")
            said[f"{letter} {program}"] = answer.status
    assert {command for command, status in said.items() if status == 200} == {"r upload", "w receive"}
    assert set(said.values()) == {200, 403}
