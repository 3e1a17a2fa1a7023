"""The numbers of the user whom an image names."""

from __future__ import annotations

import pytest

from chains.buildbox.layout import ImageRefused, is_root, numbers

PASSWD = "\n".join(
    [
        "root:x:0:0:root:/root:/bin/sh",
        "broken",
        "app:x:1000:70::/:/bin/sh",
        "late:x:5",
        "odd:x:7:w:",
        "big:x:70000:1:",
    ]
)
GROUP = "root:x:0:\nstaff:x:70:app\n"


@pytest.mark.parametrize(
    ("user", "found"),
    [
        *(("app", "1000:70"), ("1000", "1000:70"), ("app:staff", "1000:70"), ("app:0", "1000:0")),
        *(
            ("1000:5", "1000:5"),
            ("4", "4:0"),
            ("4:root", "4:0"),
            ("late", "5:0"),
            ("65535:65535", "65535:65535"),
        ),
    ],
)
def test_names_become_numbers(user: str, found: str) -> None:
    assert numbers(user, PASSWD, GROUP) == found


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("nobody", "USER nobody is not in the image's /etc/passwd: make it before USER, by RUN useradd"),
        (
            "app:no",
            "the group no of USER is not in the image's /etc/group: make it before USER, by RUN groupadd",
        ),
        ("odd", "the group of USER odd is not"),
        ("big", "USER big has the number 70000, and none above 65535 is mapped"),
        ("9" * 5000, "USER 9999"),
        ("²", "USER ² is not"),
    ],
)
def test_a_user_without_a_number_is_refused(user: str, reason: str) -> None:
    with pytest.raises(ImageRefused, match=reason):
        numbers(user, PASSWD, GROUP)


@pytest.mark.parametrize(
    ("user", "root"), [("", True), ("0:5", True), ("root", True), ("app", False), ("00", False)]
)
def test_root_is_who_is_named_so_or_not_at_all(user: str, root: bool) -> None:
    assert is_root(user) is root
