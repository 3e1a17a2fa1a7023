"""A call of the same process goes on for as long as it likes."""

from vfs.call import Unsupervised


def test_nobody_ends_a_call_of_the_same_process() -> None:
    ongoing = Unsupervised()
    ongoing.begin()
    ongoing.check()
    assert ongoing.is_allowed()
    assert not ongoing.is_over()
    assert not ongoing.is_lost()
