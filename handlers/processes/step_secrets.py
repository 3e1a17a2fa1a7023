"""Secrets of steps: the values of a job's config/env, and the credential of a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from chains.runs.records import Run
from handlers.identity.credentials import digest, fresh
from handlers.security.events import RUN_CREDENTIAL
from handlers.security.log_lines import SecurityLine
from handlers.services.world import World
from vfs.access import Via
from vfs.errors import Denied
from vfs.ports.clock import stamp

LIFETIME = timedelta(hours=24)


def env_values(world: World, run: Run) -> Mapping[str, str]:
    """Return the values of the job's config/env."""
    leaves = world.leaves.texts(run.job, "config/env")
    return {
        leaf.rel.rsplit("/", 1)[-1]: world.service.seal.open(leaf.text, f"{run.job}/{leaf.rel}")
        if leaf.text
        else ""
        for leaf in leaves
    }


def _keeps_own_token(world: World, run: Run) -> bool:
    """Return whether the job's config/env has a SVC_TOKEN, in any spelling that steps see as that."""
    return any(mark.rel.upper().endswith("/SVC_TOKEN") for mark in world.leaves.under(run.job, "config/env"))


def credential(world: World, run: Run) -> str | None:
    """Return a new credential for a run whose job has a claim and no SVC_TOKEN in config/env (R-29).

    The run store revokes it when the run ends; its deadline is the fallback. Raises Denied if the job's claim
    was removed or narrowed since the run was triggered.
    """
    if run.claim is None or _keeps_own_token(world, run):
        return None
    leaf = world.leaves.get(run.job, "config/access")
    if leaf is None or not leaf.text or not world.service.claims.covers(leaf.text, run.claim):
        raise Denied(f"the run was triggered with {run.claim}, which config/access does not allow any more")
    value, name = fresh(), f"run-{run.id}-{run.key}"
    with world.atomic():
        # A credential whose creation was not confirmed, as the database failed at that moment, is revoked.
        world.people.tokens.revoke_run(run.key)
        world.people.tokens.mint(
            run.origin_owner,
            name,
            digest(value),
            description=f"run {run.id} of {run.origin}",
            via=Via.RUN,
            claim=run.claim,
            expires_on=stamp(world.service.deadlines.now() + LIFETIME),
            run=run.key,
        )
    world.service.security.record(
        SecurityLine(
            RUN_CREDENTIAL.name,
            actor=run.by,
            via=run.trigger,
            account=run.origin_owner,
            target=f"{run.origin} {run.id}",
            why=run.claim,
        )
    )
    return value
