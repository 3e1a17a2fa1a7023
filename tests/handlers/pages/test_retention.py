"""The page of a run whose log and output are past their retention."""

from __future__ import annotations

import json
from pathlib import Path

from handlers.settings.settings import Settings
from tests.kit.service import open_service


def test_a_log_and_output_past_their_retention_are_named_as_such(tmp_path: Path) -> None:
    with open_service(Settings(data=str(tmp_path), password_memory=8, password_time=1)) as service:
        service.arrange("image", ["alice/fetch", "WRITE=result.txt=done"], [])
        bearer = [("Authorization", f"Bearer {service.user('alice')}")]
        text, data = ("Content-Type", "text/plain"), ("Content-Type", "application/json")
        service.call("PUT", "/v1/code/jobs/daily", bearer, b"")
        service.call("POST", "/v1/code/jobs/daily/config/chains", [*bearer, text], b"fetch")
        answer = service.call("POST", "/v1/code/jobs/daily/data", [*bearer, data], b"{}")
        run = answer.headers["location"].rsplit("/", 1)[1]
        page = f"/u/alice/j/daily/{run}"
        fresh = service.call("GET", page, bearer, b"").body.decode()
        assert "result.txt" in fresh
        assert "input.json" in fresh
        service.arrange("later", ["40", "days"], [])
        old = service.call("GET", page, bearer, b"")
        assert old.status == 200
        assert b"The log was deleted after its retention." in old.body
        assert b"The output was deleted after its retention." in old.body
        assert b"The input was deleted after its retention." in old.body
        stats = service.call(
            "GET", f"/v1/code/jobs/daily/runs/{run}/stats", [*bearer, ("Accept", "application/json")], b""
        )
        assert json.loads(stats.body)["status"] == "success"
