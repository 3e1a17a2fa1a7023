"""What the operator says of the provider: settings, commands, and what `curlew doctor` finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.commands.doctor import check_provider
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from tests.handlers.oidc.company import Company
from tests.handlers.oidc.visitor import add_user, open_here

GOOD = {"oidc_issuer": "https://login.example.org/realms/acme", "oidc_client_id": "curlew"}
BAD: list[tuple[str, dict[str, str]]] = [
    ("oidc_client_id", {"oidc_client_id": ""}),
    ("oidc_issuer", {"oidc_issuer": "http://login.example.org"}),
    ("oidc_issuer", {"oidc_issuer": "login.example.org"}),
    ("oidc_issuer", {"oidc_issuer": "https://me@login.example.org"}),
    ("oidc_issuer", {"oidc_issuer": "https://login.example.org/?a=b"}),
    ("oidc_issuer", {"oidc_issuer": "https://[::1"}),
    ("oidc_scopes", {"oidc_scopes": "profile email"}),
    ("oidc_allow", {"oidc_allow": "@example.org"}),
    ("oidc_groups", {"oidc_groups_claim": "groups", "oidc_groups": "eng"}),
    ("oidc_groups", {"oidc_groups_claim": "groups", "oidc_groups": "eng=@ann~friends"}),
    ("oidc_groups_claim", {"oidc_groups": "eng=acme~engineers"}),
    ("oidc_groups", {"oidc_groups_claim": "groups"}),
    ("oidc_issuer", {"oidc_issuer": "", "password_sign_in": "false"}),
]


@pytest.mark.parametrize("named, changed", BAD)
def test_a_wrong_setting_is_named(named: str, changed: dict[str, str], tmp_path: Path) -> None:
    said = {f"CURLEW_{name.upper()}": word for name, word in {**GOOD, **changed}.items()}
    with pytest.raises(SettingsError, match=named):
        load(said, data=str(tmp_path))


def test_groups_are_read_with_blanks_and_signs(tmp_path: Path) -> None:
    settings = Settings(oidc_groups=" a=b = acme~eng ,/staff/all=acme,a=b=acme,,")
    assert settings.provider_groups == [("a=b", "+acme~eng"), ("/staff/all", "+acme"), ("a=b", "+acme")]
    said = {f"CURLEW_{name.upper()}": word for name, word in GOOD.items()}
    assert load(said, data=str(tmp_path)).provider_name == "login.example.org"


def curlew(folder: Path, company: Company, *words: str) -> Result:
    env = {"CURLEW_OIDC_ISSUER": company.issuer, "CURLEW_OIDC_CLIENT_ID": "curlew", "CURLEW_DATA": None}
    env |= {"CURLEW_OIDC_CLIENT_SECRET": "planted"}
    return CliRunner().invoke(main, [*words, "--data", str(folder)], env=env)


def test_the_secret_is_not_printed(company: Company, tmp_path: Path) -> None:
    shown = curlew(tmp_path, company, "config", "show", "--changed")
    assert 'oidc_client_secret = "***"' in shown.stdout
    assert "planted" not in shown.stdout


def test_the_operator_links_and_unlinks_an_account(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path) as service:
        add_user(service.world, "ann")
        assert service.visitor().sign_in().status == 403
        assert curlew(tmp_path, company, "user", "link", "ann", "subject-of-ann").exit_code == 0
        again = curlew(tmp_path, company, "user", "link", "ann", "another")
        assert (again.exit_code, "linked already" in again.stderr) == (1, True)
        ann = service.visitor()
        ann.sign_in()
        assert ann.whoami() == "ann"
        assert curlew(tmp_path, company, "user", "unlink", "ann").exit_code == 0
        assert curlew(tmp_path, company, "user", "unlink", "ann").exit_code == 1
        assert service.visitor().sign_in().status == 403
        events = [line["event"] for line in service.log() if line.get("account") == "ann"]
        assert events.count("account.linked") == events.count("account.unlinked") == 1


def test_doctor_asks_the_provider(company: Company) -> None:
    settings = Settings(oidc_issuer=company.issuer, oidc_client_id="curlew")
    [found] = check_provider(settings)
    assert (found.ok, found.warning) == (True, True)
    assert "1 key" in found.detail and "base_url" in found.advice
    [slash] = check_provider(Settings(oidc_issuer=f"{company.issuer}/", oidc_client_id="curlew"))
    assert (slash.ok, f'calls itself "{company.issuer}"' in slash.detail) == (False, True)
    [path] = check_provider(Settings(oidc_issuer=f"{company.issuer}/realm", oidc_client_id="curlew"))
    assert (path.ok, "the operator corrects oidc_issuer" in path.detail) == (False, True)
    company.down = True
    [down] = check_provider(settings)
    assert not down.ok
    assert list(check_provider(Settings())) == []
