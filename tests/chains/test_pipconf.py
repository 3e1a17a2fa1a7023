"""The host's pip configuration as builds may see it."""

from __future__ import annotations

from pathlib import Path

from chains.pipconf import configuration


def test_nothing_configured_is_nothing_shown(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert configuration((tmp_path / "none", tmp_path / "empty"), {"PIP_QUIET": "1", "PATH": "/bin"}) is None


def test_variables_win_over_files_and_only_sources_are_passed(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://one/simple\nuser = yes\n[install]\ntrusted-host = one\n  two\n"
    )
    found = configuration((file,), {"PIP_INDEX_URL": "https://three/simple", "PIP_REQUIRE_VIRTUALENV": "1"})
    assert found is not None
    assert found.text == "[global]\nindex-url = https://three/simple\ntrusted-host = one two\n"
    assert found.paths == {}


def test_paths_of_the_host_get_places_in_the_build(tmp_path: Path) -> None:
    wheels, bundle = tmp_path / "wheels", tmp_path / "bundle.crt"
    wheels.mkdir()
    bundle.write_text("")
    found = configuration((), {"PIP_FIND_LINKS": f"{wheels} https://x/ /not/there", "PIP_CERT": str(bundle)})
    assert found is not None
    assert found.paths == {bundle: "/run/curlew-pip/0.crt", wheels: "/run/curlew-pip/1"}
    assert "cert = /run/curlew-pip/0.crt\n" in found.text
    assert "find-links = /run/curlew-pip/1 https://x/ /not/there\n" in found.text


def test_a_broken_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no section\n\xff")
    assert configuration((tmp_path / "broken",), {}) is None
