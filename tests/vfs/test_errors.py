"""What an error of the disk means to who wanted to store something."""

import errno

import pytest

from vfs.errors import NoSpace, Unavailable, storage_error


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_reported(error: int) -> None:
    refusal = storage_error(OSError(error, "full"), "the input")
    assert isinstance(refusal, NoSpace)
    assert refusal.detail.startswith("the input could not be stored: the server's disk is full")


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), InterruptedError()])
def test_a_failing_disk_may_be_retried(error: OSError) -> None:
    refusal = storage_error(error, "the input")
    assert isinstance(refusal, Unavailable)
    assert refusal.members == {"retry_after": 2}
    assert (error.strerror or "InterruptedError") in refusal.detail
