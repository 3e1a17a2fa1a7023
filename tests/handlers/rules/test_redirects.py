"""The addresses to which applications have answers sent."""

from __future__ import annotations

import pytest

from handlers.rules.redirects import OUT_OF_BAND, admits, form_target, redirect, with_answer
from vfs.errors import Invalid

FINE = (
    "https://birds.example/back",
    "https://birds.example:8443/back?x=1",
    "http://localhost/callback",
    "http://127.0.0.1:4711/callback",
    "http://[::1]/callback",
    "com.example.birds:/back",
    "vscode://novem.novem-vscode/oauth/callback",
    OUT_OF_BAND,
)


@pytest.mark.parametrize("address", FINE)
def test_valid_redirects(address: str) -> None:
    assert redirect(f" {address}\n") == address
    assert admits([address], address)


@pytest.mark.parametrize(
    "address",
    [
        "", "birds.example", "http://birds.example/back", "https:///back", "https://a@birds.example/",
        "https://birds.example/#x", "https://birds.example/a b", "https://birds.example/;x",
        "javascript:alert(1)",
        "data:text/html,x", "https://birds.example:0/", "https://birds.example:x/", "birds:/back",
        "HTTPS://birds.example/", "http://localhost.evil.example/", "http://localhost@evil.example/",
        "com.example.birds://back", "vscode:/back", "vscode://a@b.c/back", "vscode://b.c:1/back", "code://b.c/back",
        "https://birds.example/" + "x" * 600, "https://birds.example/\r\nx",
        'https://birds.example/"',
    ],
)  # fmt: skip
def test_invalid_redirects(address: str) -> None:
    with pytest.raises(Invalid):
        redirect(address)


@pytest.mark.parametrize(
    ("registered", "requested", "fine"),
    [
        ("http://localhost/callback", "http://localhost:50123/callback", True),
        ("http://127.0.0.1:80/callback", "http://127.0.0.1:50123/callback", True),
        ("http://localhost/callback", "http://localhost:50123/callback/", False),
        ("http://localhost/callback", "http://localhost:50123/callback?x=1", False),
        ("http://localhost/callback", "http://127.0.0.1:50123/callback", False),
        ("http://localhost/callback", "https://localhost:50123/callback", False),
        ("http://localhost/callback", "http://localhost:50123@evil.example/callback", False),
        ("https://birds.example/back", "https://birds.example:8443/back", False),
        ("https://birds.example/back", "https://birds.example/back/", False),
        ("https://birds.example/back", "https://birds.example/back?x", False),
        ("com.example.birds:/back", "com.example.birds:/other", False),
        (OUT_OF_BAND, "http://localhost/", False),
    ],
)
def test_only_the_port_of_a_loopback_address_is_free(registered: str, requested: str, fine: bool) -> None:
    assert admits([registered], requested) is fine


def test_the_answer_is_part_of_the_query() -> None:
    assert with_answer("https://a.example/b", {"code": "x y"}) == "https://a.example/b?code=x+y"
    assert with_answer("https://a.example/b?c=1", {"code": "x"}) == "https://a.example/b?c=1&code=x"


def test_a_form_may_lead_to_the_redirect_s_site_alone() -> None:
    assert [form_target(address) for address in FINE] == [
        "https://birds.example",
        "https://birds.example:8443",
        "http://localhost",
        "http://127.0.0.1:4711",
        "http:",
        "com.example.birds:",
        "vscode:",
        "",
    ]
