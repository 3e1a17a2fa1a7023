"""A step with a credential calls the API from its container, and reaches nothing else (decisions 24b)."""

from __future__ import annotations

import importlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import typing_extensions

from tests.kit.command import Service, serving
from tests.kit.git import Work

pytestmark = pytest.mark.podman

LOOK = """
import http.client, json, os, socket
from urllib.parse import urlsplit

def ask(path):
    connection = http.client.HTTPConnection(api.hostname, api.port, timeout=10)
    connection.request("GET", path, headers={"Authorization": "Bearer " + os.environ["SVC_TOKEN"]})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()

def register():
    connection = http.client.HTTPConnection(api.hostname, api.port, timeout=10)
    sent = {"username": "stranger", "password": "eleven birds on the mud", "email": "s@birds.example"}
    head = {"Content-Type": "application/json", "Host": "localhost", "Connection": "X-Forwarded-For"}
    connection.request("POST", "/v1/register", json.dumps(sent), head)
    return connection.getresponse().status

def connect(host, port):
    try:
        socket.create_connection((host, port), timeout=1).close()
        return True
    except OSError:
        return False

seen = {"interfaces": sorted(os.listdir("/sys/class/net")), "root": os.environ.get("SVC_API_ROOT")}
if seen["root"]:
    api = urlsplit(seen["root"])
    seen["whoami"] = ask(api.path + "/whoami")
    seen["register"] = register()
    others = ("/", "/healthz", "/v1/../healthz", "/git/alice/look.git/HEAD")
    seen["others"] = [ask(path)[0] for path in others]
    ports = [(api.hostname, api.port), (api.hostname, WEB), (api.hostname, HOST), (OWN, HOST)]
    seen["open"] = [connect(*port) for port in ports]
    seen["routes"] = len(open("/proc/net/route").readlines()) - 1
print(json.dumps(seen))
"""


CLIENT = ("novem", "requests", "urllib3", "certifi", "idna", "charset_normalizer")
DRAWN = """import novem
plot = novem.Plot("inside", type="bar")
plot.data = "month,birds\\nMay,3\\n"
print("url", plot.url)
"""


def own_address() -> str:
    """The address of this host's way out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


@pytest.fixture(scope="module", params=["none", "outbound"])
def network(request: pytest.FixtureRequest) -> str:
    """The setting of the network."""
    return str(request.param)


@pytest.fixture(scope="module")
def service(network: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a separate Podman."""
    settings = {"NETWORK": network, "BASE_IMAGE": ""}
    with serving("serve", tmp_path_factory.mktemp("api") / "data", **settings) as service:
        yield service


@pytest.fixture(scope="module")
def token(service: Service) -> Iterator[str]:
    """The token of alice, whose repo `look` looks out of a container; something else of the host listens."""
    token = service.user("alice")
    with socket.create_server(("0.0.0.0", 0)) as other:
        places = {"WEB": service.port, "HOST": other.getsockname()[1], "OWN": repr(own_address())}
        program = LOOK
        for name, place in places.items():
            program = program.replace(name, str(place))
        command = json.dumps(["python3", "-c", program])
        service.push("alice", token, "look", f"FROM python:3-slim\nCMD {command}\n")
        yield token


def seen(service: Service, token: str, job: str, **config: str) -> dict[str, object]:
    """Return the output of a step of a job."""
    place = f"/v1/code/jobs/{job}"
    service.want("PUT", place, token)
    for name, text in {"chains": "look", **config}.items():
        service.want("POST", f"{place}/config/{name}", token, text.encode())
    service.ask("POST", f"{place}/data", token, b"{}", "application/json")
    log = service.want("GET", f"{place}/log", token).decode()
    lines = [line for line in log.splitlines() if line.startswith("look: {")]
    assert lines, log
    found: dict[str, object] = json.loads(lines[0].removeprefix("look: "))
    return found


def test_a_step_with_a_credential_reaches_the_api_alone(service: Service, token: str, network: str) -> None:
    found = seen(service, token, "trusted", access="repo_ro")
    assert found["whoami"] == [200, "alice"]
    assert found["others"] == [404, 404, 404, 404]
    assert found["register"] == 403
    assert found["open"] == [True, False, False, False]
    assert found["interfaces"] == ["eth0", "lo"]
    assert found["routes"] == (1 if network == "none" else 2)


def test_a_step_without_a_credential_has_no_address_of_it(service: Service, token: str, network: str) -> None:
    found = seen(service, token, "plain")
    assert found["root"] is None
    assert found["interfaces"] == (["lo"] if network == "none" else ["eth0", "lo"])


def test_the_published_client_finds_token_and_address_and_its_links_are_public(
    service: Service, token: str, network: str, tmp_path: Path
) -> None:
    files = {"Dockerfile": 'FROM python:3-slim\nCOPY . /app\nWORKDIR /app\nCMD ["python3", "main.py"]\n'}
    files |= {"main.py": DRAWN, "typing_extensions.py": Path(typing_extensions.__file__).read_text()}
    for name in CLIENT:
        folder = Path(importlib.import_module(name).__file__ or "").parent
        files |= {f"{name}/{file.relative_to(folder)}": file.read_text() for file in folder.rglob("*.py")}
    files["certifi/cacert.pem"] = ""
    work = Work(tmp_path / "work")
    work.commit(files)
    service.want("PUT", "/v1/code/repos/drawn", token)
    done = work.run("push", f"http://alice:{token}@127.0.0.1:{service.port}/git/alice/drawn.git", "HEAD:main")
    assert b"ready @alice/drawn" in done.stderr, done.stderr.decode()
    service.want("PUT", "/v1/code/jobs/drawn", token)
    for name, text in (("chains", "drawn"), ("access", "vis_rw")):
        service.want("POST", f"/v1/code/jobs/drawn/config/{name}", token, text.encode())
    service.ask("POST", "/v1/code/jobs/drawn/data", token, b"{}", "application/json")
    log = service.want("GET", "/v1/code/jobs/drawn/log", token).decode()
    assert "drawn: url " in log, log
    url = service.want("GET", "/v1/vis/plots/inside/url", token).decode().strip()
    assert f"drawn: url {url}" in log, log
    assert url.startswith(f"http://127.0.0.1:{service.port}/")
