"""The settings of builds become what a box is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.engine.port import Network
from chains.package_proxy.apt_relay import relay
from chains.package_proxy.client_config import configuration
from handlers.processes.boxes import limits, package_hosts, package_index
from handlers.processes.offered_images import registries
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load

PROXY = {"https_proxy": "http://proxy.example:3128"}


def test_every_limit_is_a_setting() -> None:
    given = limits(
        Settings(build_memory=1, build_cpus=2, build_pids=3, build_seconds=4, build_disk=5, build_cache=6)
    )
    assert (given.memory, given.cpus, given.pids, given.seconds) == (1, 2, 3, 4)
    assert (given.disk, given.cache) == (5, 6)


@pytest.mark.parametrize(
    ("said", "hosts"),
    [
        ("", ()),
        ("none", ()),
        ("False", ()),
        ("any", None),
        ("True", None),
        ("docker.io quay.io", ("docker.io", "quay.io")),
    ],
)
def test_registries_are_none_any_or_those_named(said: str, hosts: tuple[str, ...] | None) -> None:
    assert registries(said) == hosts


def test_the_hosts_sources_are_served_where_it_has_some() -> None:
    own = configuration((), {"PIP_FIND_LINKS": "/wheels"})
    assert package_index(None, {}, Network.OUTBOUND) is not None
    assert package_index(None, {}, Network.NONE) is None
    assert package_index(None, PROXY, Network.OUTBOUND) is not None
    assert package_index(own, {}, Network.NONE) is not None
    assert package_index(own, {}, Network.OUTBOUND) is not None


def test_a_build_without_a_network_has_no_public_index_that_nobody_named() -> None:
    assert package_index(None, PROXY, Network.NONE) is None
    assert package_index(configuration((), {"PIP_PROXY": "p:1"}), {}, Network.NONE) is None
    named = configuration((), {"PIP_INDEX_URL": "https://pypi.org/simple"})
    assert package_index(named, {}, Network.NONE) is not None


@pytest.mark.parametrize(
    ("said", "network", "host"),
    [
        ("", Network.OUTBOUND, "security.debian.org"),
        ("", Network.NONE, None),
        ("none", Network.OUTBOUND, None),
        ("Mirror.example b.example", Network.NONE, "mirror.example"),
    ],
)
def test_apts_hosts_are_those_named_or_the_public_ones(said: str, network: Network, host: str | None) -> None:
    hosts = package_hosts(said, PROXY, network)
    assert (hosts is None) == (host is None)
    assert hosts is None or hosts.reach(host or "", 443, "https")
    # Only what the operator has named may be on the operator's own network.
    assert hosts is None or hosts.permits("10.0.0.5") is bool(said)
    proxy = relay(hosts) if hosts else None
    assert proxy is None or f"Acquire::https::Proxy::{host} " in "".join(proxy.files.values())
    assert proxy is None or "proxy.example" not in "".join(proxy.files.values())


@pytest.mark.parametrize("host", ["http://a.example", "a.example:80", 'a";Dir "/x', "*", "-a"])
def test_an_invalid_name_of_a_host_is_refused(host: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="build_hosts"):
        load({"CURLEW_BUILD_HOSTS": f"deb.debian.org {host}"}, data=str(tmp_path))


def test_only_known_defects_can_be_tolerated(tmp_path: Path) -> None:
    assert load({"CURLEW_PUSH_TOLERATES": "baddate  multipleAuthors"}, data=str(tmp_path)).push_tolerates
    with pytest.raises(SettingsError, match=r'push_tolerates cannot be "hasDotgit": it is some of badDate '):
        load({"CURLEW_PUSH_TOLERATES": "badDate hasDotgit"}, data=str(tmp_path))
