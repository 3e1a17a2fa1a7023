"""Bodies at the limit of what fits, and one byte beyond it (interface, Limits; decisions 10)."""

from __future__ import annotations

import pytest

from tests.kit.service import Application

KIB, MIB = 1 << 10, 1 << 20
PICTURE = b"\x89PNG\r\n\x1a\n"
LIMITS = [
    ("vis/docs/birds/assets/a.png", "image/png", 5 * MIB),
    ("vis/docs/birds/content", "text/plain", MIB),
    ("vis/docs/birds/description", "text/plain", 256 * KIB),
    ("vis/docs/birds/name", "text/plain", KIB),
    ("vis/docs/birds/summary", "text/plain", KIB),
    ("vis/grids/birds/mapping", "text/plain", 64 * KIB),
    ("vis/plots/birds/data", "text/plain", 32 * MIB),
]


@pytest.mark.parametrize("path, media, largest", LIMITS, ids=[path for path, *_ in LIMITS])
def test_what_fits_is_stored_and_what_is_larger_is_refused(
    service: Application, path: str, media: str, largest: int
) -> None:
    def ask(method: str, path: str, body: bytes = b"") -> int:
        headers = [("Authorization", f"Bearer {service.user('alice')}"), ("Content-Type", media)]
        return service.call(method, f"/v1/{path}", headers, body).status

    area, kind, name, *_ = path.split("/")
    assert ask("PUT", f"{area}/{kind}/{name}") == 201
    head = PICTURE if media == "image/png" else b""
    assert ask("POST", path, head.ljust(largest + 1, b"a")) == 413
    assert ask("POST", path, head.ljust(largest, b"a")) in (200, 201)


@pytest.mark.parametrize("media", ["application/json", "multipart/form-data; boundary=b"])
def test_what_a_trigger_brings_is_kept_to_the_setting(service: Application, media: str) -> None:
    def ask(method: str, path: str, body: bytes = b"", media: str = "text/plain") -> int:
        headers = [("Authorization", f"Bearer {service.user('alice')}"), ("Content-Type", media)]
        return service.call(method, f"/v1/code/jobs/letter{path}", headers, body).status

    def sent(size: int) -> bytes:
        if media == "application/json":
            return b'"' + b"a" * size + b'"'
        head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
        return head + b"a" * size + b"\r\n--b--\r\n"

    service.arrange("image", ["alice/count", "ECHO=one"], [])
    ask("PUT", "")
    ask("POST", "/config/chains", b"count")
    object.__setattr__(service.world.service.settings, "input_limit", KIB)
    assert ask("POST", "/data", sent(2 * KIB), media) == 413
    assert ask("POST", "/data", sent(KIB // 2), media) == 204
