"""Access of a job: the claim of its runs' credential, and accounts that can read its secrets by a push."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from chains.language.ast import RepoRef, from_data
from handlers.services.references import References, Refusal, chain_of, guard
from handlers.services.rights import other_writer
from handlers.services.world import World
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, Invalid
from vfs.ports.items import Item
from vfs.ports.leaves import Leaves
from vfs.rules import FIRST_HAND, IN_PERSON, OWNER, SIGNED_IN, R, Rule, W

READER = Rule(
    "r, signed in", lambda p: R.test(p) and SIGNED_IN.test(p), "read access (r) and a signed-in caller"
)
WRITER = W & IN_PERSON
MASTER = OWNER & WRITER & FIRST_HAND


def seal(context: Context[World], sent: str, rel: str | None = None) -> str:
    """Return a secret in its sealed form, for the path of the context or `rel`."""
    return str(context.world.service.seal.close(sent, f"{context.here.id}/{rel or context.rel}"))


def admit_share(leaves: Leaves, job: Item, letters: str) -> None:
    """Raise Denied for a share that lets others write a job with a claim (interface, Authentication 10)."""
    if "w" in letters and leaves.get(job.id, "config/access") is not None:
        raise Denied(
            "the job has config/access set, so nobody else may write it: share it with r, x or rx, "
            "or clear config/access first"
        )


def admit_claim(context: Context[World], sent: str) -> str:
    """Return a known claim. Raises Denied if others may write the job (interface, Authentication 10)."""
    word, *rest = sent.split() or [""]
    if tuple(rest) not in ((), context.world.service.claims.actions(word)):
        raise Invalid(f'send the claim alone, for example "{word}"; its actions follow from it')
    if (share := other_writer(context.world, context.here.id)) is not None:
        raise Denied(
            f'the job is shared writable as "{share}": revoke that share, or share with r or rx, '
            "before the job gets a credential"
        )
    stored = context.world.leaves.get(context.here.id, "config/plan")
    if stored is not None and stored.text:
        try:
            guard(References(context.world), context.here, from_data(json.loads(stored.text)))
        except Refusal as refusal:
            raise Conflict(str(refusal)) from None
    return word


def read_claim(context: Context[World]) -> Reply:
    """Return the claim and its actions, one on each line; empty when the job has none."""
    leaf = context.world.leaves.get(context.here.id, context.rel)
    if leaf is None or not leaf.text:
        return Reply(Data({"claim": None, "actions": []}, lambda said: ""), default=True)
    lines = (leaf.text, *context.world.service.claims.actions(leaf.text))
    text = "".join(f"{line}\n" for line in lines)
    return Reply(Data({"claim": lines[0], "actions": lines[1:]}, lambda said: text))


def set_claim(context: Context[World], word: str) -> None:
    """Set the job's claim."""
    context.world.leaves.put(context.here.id, context.rel, word, context.caller.name)


def clear_claim(context: Context[World]) -> None:
    """Clear the job's claim."""
    context.world.leaves.clear(context.here.id, context.rel)


PLAN, ENV, SPACES = "config/plan", "config/env", "config/spaces"
WRITE = "w"
MOST_LINES, MOST_NAMES = 10, 10


def remark_on_secrets(context: Context[World]) -> str:
    """Return a line for each repo of a job's chain to which accounts other than its owner may push."""
    return "".join(f"note: {line}\n" for line in _readers(context.world, context.here))


def remark_on_code(context: Context[World]) -> str:
    """Return the same lines when a chain is written, if the job has variables or spaces."""
    return "".join(f"note: {line}\n" for line in readers_by_code(context.world, context.here))


def readers_by_code(world: World, job: Item) -> Sequence[str]:
    """Return sentences on who can read a job's variables and spaces by pushing code; none without these."""
    kept = world.leaves.digests_of([job.id], (SPACES,), ENV)
    return _readers(world, job) if kept.get(job.id) else ()


def remark_on_pushers(world: World, repo: Item) -> str:
    """Return a line on the owner's jobs that use a repo and have variables or spaces; "" without any."""
    jobs = {found.item.id: found.item.name for found in world.items.visible("job", repo.owner, repo.owner)}
    kept = world.leaves.digests_of(list(jobs), (SPACES,), ENV)
    plans = world.leaves.texts_of([job for job in jobs if kept.get(job)], (PLAN,))
    names = sorted(jobs[job] for job, texts in plans.items() if repo.name in _own_repos(texts, repo.owner))
    if not names:
        return ""
    listed = _list([f"/u/{repo.owner}/j/{name}" for name in names])
    return f"note: anyone who may push to it can read config/env and the spaces of {listed} by code\n"


def _readers(world: World, job: Item) -> Sequence[str]:
    lines = list(_lines(world, job))
    rest = len(lines) - MOST_LINES
    more = [f"anyone who may push to {rest} more repos of the chain can read them, too"] if rest > 0 else []
    return [*lines[:MOST_LINES], *more]


def _lines(world: World, job: Item) -> Iterator[str]:
    texts = world.leaves.texts_of([job.id], (PLAN,)).get(job.id, {})
    own = _own_repos(texts, job.owner)
    found = world.items.all_named("repo", [(job.owner, name) for name in own], (), job.owner) if own else ()
    targets = world.grants.targets([one.item.id for one in found], WRITE)
    for one in sorted(found, key=lambda one: one.item.name):
        if names := targets.get(one.item.id):
            yield f"{_reads(f'@{job.owner}/{one.item.name}')}: {_list(names)}"
    for name in sorted(_repos_of_others(texts, job.owner)):
        yield _reads(name)


def _reads(repo: str) -> str:
    return f"anyone who may push to {repo} can read config/env and the spaces by code"


def _own_repos(texts: Mapping[str, str], owner: str) -> set[str]:
    """Return the names of repos in a chain that belong to the job's owner."""
    return {ref.repo for ref in _repos(texts) if ref.owner in (None, "", owner)}


def _repos_of_others(texts: Mapping[str, str], owner: str) -> set[str]:
    return {f"@{ref.owner}/{ref.repo}" for ref in _repos(texts) if ref.owner not in (None, "", owner)}


def _repos(texts: Mapping[str, str]) -> Iterator[RepoRef]:
    """Yield the repos in a chain, without those of nested jobs, which are reported at those jobs."""
    if plan := texts.get(PLAN):
        yield from (step.ref for step in chain_of(plan).steps if isinstance(step.ref, RepoRef))


def _list(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")
