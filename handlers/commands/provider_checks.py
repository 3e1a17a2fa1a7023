"""Checks of the provider by which people sign in, for `curlew doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from chains.host.doctor import DoctorCheck
from handlers.settings.settings import Settings
from vfs.errors import VfsError

ADVICE = "correct oidc_issuer, or the provider; people sign in there only when this works"


def check_provider(settings: Settings) -> Iterator[DoctorCheck]:
    """Fetch the document and the keys of the provider, if one is set."""
    if not settings.oidc_issuer:
        return
    from handlers.oidc.provider import Provider

    provider = Provider(settings)
    try:
        known = len(provider.keys(None))
    except VfsError as error:
        yield DoctorCheck("sign-in", False, error.detail, ADVICE)
        return
    detail = f"{provider.issuer} answers, with {known} {'key' if known == 1 else 'keys'}"
    advice = "set base_url: the provider leads people back to <base_url>/oidc/callback"
    yield DoctorCheck("sign-in", True, detail, advice, not settings.base_url)
