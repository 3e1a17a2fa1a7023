"""What a step may reach, by the setting and by what it was given."""

from __future__ import annotations

import pytest

from chains.engine.port import Network
from chains.runner.ports import StepPolicy

ROOT = "http://10.96.1.1:8001/v1"
GIVEN = {"SVC_TOKEN": "secret", "SVC_API_ROOT": ROOT}


@pytest.mark.parametrize("network", [Network.NONE, Network.OUTBOUND])
def test_a_step_with_a_credential_reaches_the_api_at_least(network: Network) -> None:
    reached = StepPolicy(network=network, api_root=ROOT).reach(GIVEN)
    assert reached is (Network.API if network is Network.NONE else network)


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"SVC_TOKEN": "secret"},
        {"SVC_API_ROOT": ROOT},
        GIVEN | {"SVC_API_ROOT": "https://elsewhere.example/v1"},
    ],
)
def test_without_credential_and_address_the_setting_holds(env: dict[str, str]) -> None:
    assert StepPolicy(network=Network.NONE, api_root=ROOT).reach(env) is Network.NONE


def test_where_the_api_cannot_be_offered_there_is_no_network_for_it() -> None:
    assert StepPolicy(network=Network.NONE).reach(GIVEN) is Network.NONE
