"""Who is taken first, where nothing ranks accounts."""

from chains.runs.ports import alike


def test_all_accounts_rank_alike() -> None:
    assert alike("alice") == alike("bob")
