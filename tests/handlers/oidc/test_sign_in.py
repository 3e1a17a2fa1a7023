"""People sign in by their company's provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey

from tests.handlers.oidc.company import CLIENT, SECRET, Company
from tests.handlers.oidc.visitor import PASSWORD, Service, add_user, open_here
from vfs.access import Role
from vfs.ports.groups import GroupKind


def test_the_first_sign_in_makes_an_account_and_the_next_one_finds_it(service: Service) -> None:
    ann = service.visitor()
    assert "Sign in with Acme" in ann.go("/login").text
    back = ann.sign_in("/oidc/sign-in?next=/settings/profile")
    assert (back.status, back.header("location")) == (303, "/settings/profile")
    assert ann.whoami() == "ann-archer"
    assert list(ann.cookies) == ["curlew_session_browser", "curlew_session"]
    again = service.visitor()
    again.sign_in()
    assert again.whoami() == "ann-archer"
    assert "Ann Archer" in again.go("/settings/profile").text
    assert len(service.world.people.users.all()) == 1
    events = [(line["event"], line["account"]) for line in service.log()]
    sign_in = ("sign-in.provider", "ann-archer")
    assert events == [("account.made", "ann-archer"), sign_in, sign_in]


def test_a_name_and_an_address_of_another_account_lead_nowhere(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path, oidc_create=True, oidc_allow="example.org") as service:
        service.user("ann-archer", "ann@example.org")
        stranger = service.visitor()
        stranger.sign_in()
        assert stranger.whoami() == "ann-archer-2"
        users = service.world.people.users
        made = users.find("ann-archer-2")
        assert made is not None and not made.verified
        owner = users.with_address("ann@example.org")
        assert owner is not None and owner.name == "ann-archer"


NAMES = {
    "root": "root-2",
    "аnn": "nn",
    "ＡＮＮ": "ann",
    "José Núñez": "jose-nunez",
    "../../etc": "etc",
    "": "ann-2",
    "漢字": "user",
    "x" * 500: "x" * 40,
    "ann@evil.example": "ann-3",
}


def test_a_name_is_made_of_plain_letters_and_is_no_operator(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path, oidc_create=True, operators="root") as service:
        for number, said in enumerate(NAMES):
            company.people["ann"] |= {"preferred_username": said, "sub": f"subject-{number}"}
            visitor = service.visitor()
            visitor.sign_in()
            assert visitor.whoami() == NAMES[said]


@pytest.mark.parametrize("verified, allowed", [(True, True), (False, False), ("true", False), (None, False)])
def test_only_verified_addresses_of_allowed_domains_are_let_in(
    verified: object, allowed: bool, company: Company, tmp_path: Path
) -> None:
    company.people["ann"]["email_verified"] = verified
    with open_here(company, tmp_path, oidc_create=True, oidc_allow="example.com example.org") as service:
        visitor = service.visitor()
        answer = visitor.sign_in()
        assert (answer.status == 303) is allowed
        users = service.world.people.users.all()
        assert [(user.email, user.verified) for user in users] == (
            [("ann@example.org", True)] if allowed else []
        )


def test_without_domains_no_address_counts_as_verified(service: Service) -> None:
    service.visitor().sign_in()
    [user] = service.world.people.users.all()
    assert (user.email, user.verified) == ("ann@example.org", False)


def test_a_person_links_an_account_signs_in_with_it_and_unlinks_it(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path) as service:
        nobody = service.visitor()
        refused = nobody.sign_in()
        assert refused.status == 403
        assert "No account here is linked with you" in refused.said
        ann = service.user("ann")
        page = ann.go("/settings/signin").text
        link = page.partition('href="/oidc/link')[2].partition('"')[0]
        assert ann.sign_in(f"/oidc/link{link}").header("location") == "/settings/signin?done=linked"
        assert "ann@example.org" in ann.go("/settings/signin").text
        other = service.visitor()
        other.sign_in()
        assert other.whoami() == "ann"
        assert ann.post("/settings/signin", do="unlink").status == 303
        assert service.visitor().sign_in().status == 403
        events = [line["event"] for line in service.log()]
        assert {"account.linked", "account.unlinked"} <= set(events)


def test_the_only_way_in_is_not_unlinked(service: Service) -> None:
    ann = service.visitor()
    ann.sign_in()
    refused = ann.post("/settings/signin", do="unlink")
    assert refused.status == 409
    again = service.visitor()
    again.sign_in()
    assert again.whoami() == "ann-archer"


def test_a_link_of_another_account_is_not_taken_over(service: Service) -> None:
    service.visitor().sign_in()
    eve = service.user("eve")
    mark = eve.go("/settings/signin").text.partition("/oidc/link?mark=")[2].partition('"')[0]
    assert eve.sign_in(f"/oidc/link?mark={mark}").status == 409
    ann = service.visitor()
    ann.sign_in()
    assert ann.whoami() == "ann-archer"


def test_a_locked_account_stays_out(service: Service) -> None:
    ann = service.visitor()
    ann.sign_in()
    service.world.people.users.change("ann-archer", locked=True)
    assert service.visitor().sign_in().status == 403


def test_groups_are_set_at_each_sign_in(company: Company, tmp_path: Path) -> None:
    groups = "eng=acme~engineers, staff=acme, other=acme~others, boss=acme~engineers, boss=acme~others"
    with open_here(
        company, tmp_path, oidc_create=True, oidc_groups_claim="groups", oidc_groups=groups
    ) as service:
        people = service.world.people
        service.user("boss")
        people.groups.create(GroupKind.ORG, "boss", "acme", "boss", "enterprise")
        for name in ("engineers", "others", "apart"):
            people.groups.create(GroupKind.ORG_GROUP, "acme", name, "boss", None)

        def groups_of(name: str = "ann-archer") -> dict[str, Role]:
            refs = ("+acme", "+acme~engineers", "+acme~others", "+acme~apart")
            found = {ref: people.members.find(ref, name) for ref in refs}
            return {ref: member.role for ref, member in found.items() if member is not None}

        service.visitor().sign_in()
        assert groups_of() == {"+acme~engineers": Role.MEMBERS}
        people.members.put("+acme~apart", "ann-archer", Role.ADMINS, pending=False, by=None)
        people.members.put("+acme~engineers", "ann-archer", Role.ADMINS, pending=False, by=None)
        company.people["ann"]["groups"] = ["eng", "staff", "unknown", 7]
        service.visitor().sign_in()
        assert groups_of()["+acme~engineers"] is Role.ADMINS
        assert groups_of()["+acme"] is Role.MEMBERS
        company.people["ann"]["groups"] = ["boss", "staff"]
        service.visitor().sign_in()
        assert set(groups_of()) == {"+acme", "+acme~engineers", "+acme~others", "+acme~apart"}
        del company.people["ann"]["groups"]
        service.visitor().sign_in()
        assert len(groups_of()) == 4  # a missing claim takes nothing
        company.people["ann"]["groups"] = []
        people.members.put("+acme", "ann-archer", Role.FOUNDERS, pending=False, by=None)
        people.members.drop("+acme", "boss", Role.FOUNDERS, pending=False)
        service.visitor().sign_in()
        assert groups_of() == {"+acme": Role.FOUNDERS, "+acme~apart": Role.ADMINS}


def test_passwords_can_be_switched_off(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path, oidc_create=True, password_sign_in=False) as service:
        page = service.visitor().go("/login").text
        assert 'type="password"' not in page and "Sign in with Acme" in page
        visitor = service.visitor()
        add_user(service.world, "bob")
        refused = visitor.ask("POST", "/login", {"username": "bob", "password": PASSWORD.format(name="bob")})
        assert "sign in with Acme" in refused.text
        for path in ("/v1/token", "/v1/auth"):
            refused = visitor.ask(
                "POST",
                path,
                Authorization="Basic Ym9iOmNvcnJlY3QgaG9yc2UgYmF0dGVyeSBib2I=",
                Accept="application/json",
            )
            assert refused.status == 403
            assert "sign in with Acme" in refused.text
        for path in ("/v1/register", "/v1/admin/forgotten"):
            refused = visitor.ask("POST", path, {}, Accept="application/json")
            assert refused.status == 403, path
        assert visitor.go("/register").status == 403
        ann = service.visitor()
        ann.sign_in()
        assert ann.post("/settings/signin", do="unlink").status == 409


def test_signing_out_leads_to_the_provider(service: Service) -> None:
    ann = service.visitor()
    ann.sign_in()
    ann.post("/settings/signin", do="others")
    token = ann.go("/settings/profile").text.partition('name="token" value="')[2].partition('"')[0]
    assert ann.ask("POST", "/logout", {"token": token}).status == 303
    assert ann.whoami() == ""
    assert "/oidc/sign-out" not in ann.go("/login").text
    assert "/oidc/sign-out" in ann.go("/login?out=yes").text
    there = ann.go("/oidc/sign-out").header("location")
    assert there.startswith(f"{service.company.issuer}/leave?client_id=curlew&post_logout_redirect_uri=")


def test_a_person_without_a_password_makes_a_token_after_a_sign_in(service: Service) -> None:
    ann = service.visitor()
    ann.sign_in()
    assert 'type="password"' not in ann.go("/settings/tokens").text
    made = ann.post("/settings/tokens", do="make", token_name="laptop", ends="never")
    value = made.text.partition('data-copy="the token">')[2].partition("<")[0]
    program = service.visitor()
    said = program.ask("GET", "/v1/whoami", Authorization=f"Bearer {value}", Accept="application/json")
    assert b"ann-archer" in said.body
    refused = program.ask("POST", "/v1/token", Authorization=f"Bearer {value}", Accept="application/json")
    assert refused.status == 401
    bob = service.user("bob")
    assert bob.ask("POST", "/v1/token", Accept="application/json").status == 401
    service.clock.forward(minutes=16)
    assert "sign in once more" in ann.go("/settings/tokens").text
    assert ann.ask("POST", "/v1/token", Accept="application/json").status == 401
    ann.sign_in("/oidc/sign-in?again=yes&next=/settings/tokens")
    assert ann.ask("POST", "/v1/token", Accept="application/json").status == 201


def test_a_sign_in_ends_the_session_that_the_browser_had(service: Service) -> None:
    ann = service.visitor()
    ann.sign_in()
    before = dict(ann.cookies)
    assert ann.go("/oidc/sign-in?next=/jobs").header("location") == "/jobs"
    ann.sign_in("/oidc/sign-in?again=yes")
    assert ann.whoami() == "ann-archer"
    assert before != ann.cookies
    ann.cookies = before
    assert ann.whoami() == ""


def test_other_ways_of_a_client_to_prove_itself(company: Company, tmp_path: Path) -> None:
    client, said = company.clients[CLIENT], company.provider.configuration_information
    for method in ("client_secret_post", "none"):
        said["token_endpoint_auth_methods_supported"] = [method]
        client["token_endpoint_auth_method"] = method
        secret = SECRET if method == "client_secret_post" else ""
        if not secret:
            del client["client_secret"]
        (folder := tmp_path / method).mkdir()
        with open_here(company, folder, oidc_create=True, oidc_client_secret=secret) as service:
            assert service.visitor().sign_in().status == 303, method


def test_a_wrong_secret_is_named(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path, oidc_create=True, oidc_client_secret="wrong") as service:
        answer = service.visitor().sign_in()
        assert (answer.status, "oidc_client_secret is wrong" in answer.text) == (503, True)


def test_signatures_by_curves_are_taken(service: Service) -> None:
    keys = {"ES256": ECKey.generate_key("P-256"), "Ed25519": OKPKey.generate_key("Ed25519")}
    published = [key.as_dict(private=False) | {"kid": name} for name, key in keys.items()]
    published += [{"kty": "new", "kid": "other"}, {"kty": "oct", "k": "AAAA", "kid": "ES256"}, 7]
    service.company.answers["/keys"] = json.dumps({"keys": published}).encode()

    for name, key in keys.items():

        def forge(claims: dict[str, Any], name: str = name, key: Any = key) -> str:
            del claims["at_hash"]  # that of RS256
            return jwt.encode({"alg": name, "kid": name}, claims, key, [name])

        service.company.forge = forge
        assert service.visitor().sign_in().status == 303, name
