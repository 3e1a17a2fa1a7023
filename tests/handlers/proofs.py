"""Proofs of identity over a world in a database."""

from __future__ import annotations

from handlers.identity.browser_tickets import BrowserTickets
from handlers.identity.passkeys import Passkeys
from handlers.identity.passwords import Passwords
from handlers.identity.proofs import People, Proofs
from handlers.identity.second_factors import SecondFactors
from storage.bytes.seal import AesSeal
from tests.kit.world import StoredWorld


def proofs_of(world: StoredWorld, passwords: Passwords) -> tuple[SecondFactors, Proofs]:
    """The check of codes, and that of all proofs."""
    seal = AesSeal(b"k" * 32)
    second = SecondFactors(world.factors, world.rates, world.clock, seal)
    tickets = BrowserTickets(seal, world.rates, world.clock)
    passkeys = Passkeys(world.factors, tickets, world.clock, world.epoch)
    people = People(world.users, world.tokens, world.factors)
    return second, Proofs(people, passwords, second, passkeys, tickets, world.clock)
