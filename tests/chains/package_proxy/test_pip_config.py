"""The host's pip configuration, as far as it says where packages come from."""

from __future__ import annotations

from pathlib import Path

from chains.package_proxy.client_config import PUBLIC, configuration


def test_nothing_configured_is_nothing_found(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert configuration((tmp_path / "none", tmp_path / "empty"), {"PIP_QUIET": "1", "PATH": "/bin"}) is None


def test_variables_win_over_files(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://one/simple\nuser = yes\n[install]\ntrusted-host = one\n  two\n"
    )
    found = configuration((file,), {"PIP_INDEX_URL": "https://three/simple", "PIP_REQUIRE_VIRTUALENV": "1"})
    assert found is not None
    assert found.indexes == ("https://three/simple",)
    assert found.trusted == {"one", "two"}
    assert found.own == found


def test_the_public_index_is_there_unless_another_is_named_or_none_wanted() -> None:
    more = configuration(
        (), {"PIP_EXTRA_INDEX_URL": "file:///a file:///b", "PIP_CERT": "/c", "PIP_PROXY": "p:1"}
    )
    assert more is not None
    assert more.indexes == (PUBLIC, "file:///a", "file:///b")
    assert more.own.indexes == ("file:///a", "file:///b")
    assert (more.authorities, more.proxy, more.client) == (Path("/c"), "p:1", None)
    none = configuration(
        (), {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels https://x/", "PIP_CLIENT_CERT": "/d"}
    )
    assert none is not None
    assert (none.indexes, none.links, none.client) == ((), ("/wheels", "https://x/"), Path("/d"))


def test_a_broken_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no section\n\xff")
    assert configuration((tmp_path / "broken",), {}) is None
