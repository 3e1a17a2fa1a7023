"""Settings of signing in with a company's provider (OpenID Connect)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from handlers.settings.setting_field import setting

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DOMAIN = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}")
GROUP = re.compile(r"([a-z0-9][a-z0-9_-]{0,63})(~[a-z0-9][a-z0-9_-]{0,63})?")


@dataclass(frozen=True)
class SignInSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    oidc_issuer: str = setting(
        "",
        "the address of the company's OpenID Connect provider, exactly as the provider names itself; people "
        "sign in there",
        unset="nobody signs in by a provider",
    )
    oidc_client_id: str = setting("", "the name of this service at the provider")
    oidc_client_secret: str = setting(
        "", "its secret there", unset="a public client, which proves itself by PKCE"
    )
    oidc_name: str = setting("", "what people call the provider, on the button", unset="the provider's host")
    oidc_scopes: str = setting("openid profile email", "what the provider is asked for")
    oidc_create: bool = setting(
        False, "whether a first sign-in makes an account; else people link the account that they have"
    )
    oidc_allow: str = setting(
        "",
        "domains, with spaces between: only people with a verified e-mail address there are let in",
        unset="all people of the provider, and no address counts as verified by it",
    )
    oidc_groups_claim: str = setting(
        "", "the claim that lists a person's groups", unset="sign-ins do not change groups"
    )
    oidc_groups: str = setting(
        "", "what each of them means here, as `eng=acme~engineers, staff=acme`: a group, or an organisation"
    )
    password_sign_in: bool = setting(True, "whether people sign in, and make tokens, with a password")

    @property
    def provider_name(self) -> str:
        """The name of the provider for people."""
        return self.oidc_name or urlsplit(self.oidc_issuer).hostname or self.oidc_issuer

    @property
    def provider_groups(self) -> Sequence[tuple[str, str]]:
        """The provider's names of groups, each with the reference of one here. Raises ValueError."""
        found = []
        for pair in filter(None, map(str.strip, self.oidc_groups.split(","))):
            theirs, equals, ours = pair.rpartition("=")
            if not equals or not theirs.strip() or not GROUP.fullmatch(ours.strip()):
                raise ValueError(f'"{pair}" is not THEIRS=ORGANISATION~GROUP')
            found.append((theirs.strip(), f"+{ours.strip()}"))
        return found

    @property
    def sign_in_trouble(self) -> str | None:
        """The fault in these settings, in a sentence; None if there is none."""
        return next(self._troubles(), None)

    def _troubles(self) -> Iterator[str]:
        if not self.oidc_issuer:
            if not self.password_sign_in:
                yield "password_sign_in = false needs a provider by which people sign in: set oidc_issuer"
            return
        if not is_provider_address(self.oidc_issuer) or "?" in self.oidc_issuer:
            yield "the setting oidc_issuer is an https:// address such as https://login.example.org/realms/acme"
        if not self.oidc_client_id:
            yield "the setting oidc_issuer needs oidc_client_id: the name of this service at the provider"
        if "openid" not in self.oidc_scopes.split():
            yield "the setting oidc_scopes contains openid, and other words with spaces between"
        for domain in self.oidc_allow.split():
            if not DOMAIN.fullmatch(domain):
                yield f'the setting oidc_allow is domains with spaces between, not "{domain}"'
        try:
            groups = self.provider_groups
        except ValueError as error:
            yield f"the setting oidc_groups: {error}, such as eng=acme~engineers"
            return
        if bool(groups) != bool(self.oidc_groups_claim):
            yield "the settings oidc_groups and oidc_groups_claim need each other"


def is_provider_address(text: object, *, plain: bool = True) -> bool:
    """Return whether a text is an address that a provider may have: HTTPS, or HTTP (`plain`) on this host."""
    if not isinstance(text, str) or len(text) > 2_000 or not text.isascii() or not text.isprintable():
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        return False
    if not host or "@" in parts.netloc or parts.fragment or " " in text or "\\" in text:
        return False
    return parts.scheme == "https" or (plain and parts.scheme == "http" and host in LOOPBACK)
