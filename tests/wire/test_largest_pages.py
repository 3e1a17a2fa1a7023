"""Pages and texts of the largest and the most hostile content take what their size explains."""

from __future__ import annotations

import json
import time

from tests.kit.client import Answer
from tests.kit.service import Application

JOB = "/v1/code/jobs/wide"
PAGE = "/u/alice/j/wide"
SECONDS, BYTES = 0.3, 1 << 20
TEXT, DATA = "text/plain", "application/json"


def ask(
    service: Application, method: str, path: str, body: bytes = b"", media: str = TEXT, accept: str = ""
) -> Answer:
    sent = [("Authorization", f"Bearer {service.user('alice')}"), ("Content-Type", media)]
    return service.call(method, path, [*sent, ("Accept", accept)] if accept else sent, body)


def page(service: Application, path: str) -> tuple[str, float]:
    """A page, and the processor time that the quicker of two readings took."""
    took = []
    for _ in range(2):
        began = time.thread_time()
        answer = ask(service, "GET", path, accept="text/html")
        took.append(time.thread_time() - began)
        assert answer.status == 200
    return answer.body.decode(), min(took)


def complete(steps: int) -> bytes:
    """A chain in which every step feeds all that follow."""
    names = [f"s{number}" for number in range(steps)]
    lines = [f"{one} <- s" for one in names]
    lines += [
        " -> ".join(pair) for i, one in enumerate(names) for pair in ((one, two) for two in names[i + 1 :])
    ]
    return "\n".join(lines).encode()


def test_the_page_of_the_largest_chain_is_quick_and_small(service: Application) -> None:
    chain = complete(95)
    assert len(chain) > 43_000
    ask(service, "PUT", JOB)
    assert ask(service, "POST", f"{JOB}/config/chains", chain).status == 200
    shown, took = page(service, PAGE)
    assert took < SECONDS
    assert len(shown) < BYTES
    assert "95 steps and 4465 lines between them are too many for a drawing" in shown
    assert 'href="/v1/users/alice/code/jobs/wide/config/chains"' in shown
    assert "<path class=" not in shown


def test_the_page_of_a_run_shows_the_end_of_an_endless_log(service: Application) -> None:
    service.arrange("image", ["alice/s", f"ECHO={'x' * 90_000}", "EXIT=3"], [])
    ask(service, "PUT", JOB)
    ask(service, "POST", f"{JOB}/config/chains", b"s")
    run = json.loads(ask(service, "POST", f"{JOB}/data", b"{}", DATA).body)["run"]
    shown, took = page(service, f"{PAGE}/{run}")
    assert took < SECONDS
    assert len(shown) < 60_000
    assert "xxx…xxx" in shown


def test_the_largest_description_is_rendered_once(service: Application) -> None:
    ask(service, "PUT", JOB)
    text = b"![[" * ((256 << 10) // 3)
    assert ask(service, "POST", f"{JOB}/description", text).status == 200
    took = []
    for _ in range(3):
        began = time.thread_time()
        answer = ask(service, "GET", f"{JOB}/description", accept=DATA)
        took.append(time.thread_time() - began)
        assert json.loads(answer.body)["raw"].encode() == text
    assert took[0] < 1.0
    assert max(took[1:]) < 0.1
    shown, seconds = page(service, PAGE)
    assert seconds < SECONDS
    assert len(shown) < BYTES
