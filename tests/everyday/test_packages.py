"""Packages that most programs use, installed into the base image by pip, each doing one thing in a step."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.engine.port import BuildOrder, Exit, Line, Network
from chains.package_proxy.client_config import FILES, configuration
from handlers.processes.boxes import package_index
from tests.kit.podman import Bench, builder_on, texts

pytestmark = [pytest.mark.podman, pytest.mark.timeout(1800)]

PROGRAMS = Path(__file__).with_name("programs")
FIRST = "pandas pillow lxml openpyxl sqlalchemy requests"
REST = {
    "science": "numpy pandas scipy scikit-learn statsmodels matplotlib seaborn networkx pypdf",
    "tables": "polars duckdb pyarrow xlsxwriter openpyxl altair plotly pandas",
    "web": "requests httpx aiohttp boto3 cryptography paramiko grpcio protobuf fastapi playwright "
    "beautifulsoup4",
    "texts": "psycopg2-binary psycopg[binary] pymysql pyyaml jinja2 orjson pydantic tabulate rich novem nltk "
    "spacy",
}


@pytest.fixture(scope="module")
def builder(podman_bench: Bench) -> Iterator[BoxBuilder]:
    """A builder whose pip has the sources of this machine."""
    network = Network.OUTBOUND
    proxy = package_index(configuration(FILES, os.environ), os.environ, network)
    made = builder_on(
        podman_bench.host, BuildLimits(disk=8 << 30), network=network, proxies=[proxy] if proxy else []
    )
    yield made
    made.close()


def test_the_first_script_of_most_people_works(podman_bench: Bench, builder: BoxBuilder) -> None:
    works(podman_bench, builder, "first", FIRST)


@pytest.mark.whole
@pytest.mark.parametrize("name", REST)
def test_common_packages_work(podman_bench: Bench, builder: BoxBuilder, name: str) -> None:
    works(podman_bench, builder, name, REST[name])


def works(bench: Bench, builder: BoxBuilder, name: str, packages: str) -> None:
    """Install the packages, and run the program as a step."""
    context = bench.folder("context")
    (context / f"{name}.py").write_text((PROGRAMS / f"{name}.py").read_text())
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", "key", "-out", "certificate"],
        cwd=context, check=True, capture_output=True,
    )  # fmt: skip
    pair = "".join((context / part).read_text() for part in ("key", "certificate"))
    (context / "server.pem").write_text(pair)
    (context / "requirements.txt").write_text("\n".join([*packages.split(), ""]))
    (context / "Dockerfile").write_text(
        "FROM python:3-slim\nWORKDIR /app\nCOPY requirements.txt .\n"
        "RUN pip install --no-cache-dir --progress-bar off -r requirements.txt\n"
        f'COPY . .\nRUN chmod a+r *\nCMD ["python3", "{name}.py"]\n'
    )
    image = builder.build(BuildOrder(95, context, "Dockerfile", f"curlew/95:{name}", {}), print).id
    spec = replace(bench.step("true", memory=2 << 30, seconds=300), image=image)
    handle, lines = bench.engine.prepare(spec), list[Line]()
    bench.engine.start(handle)
    ended = bench.engine.wait(handle, lines.append)
    bench.engine.remove(handle)
    builder.drop(image)
    assert "all well" in texts(lines), texts(lines)
    assert ended == Exit(0)
