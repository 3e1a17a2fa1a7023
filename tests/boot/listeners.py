"""The listeners that settings call for, inside the fences of their units: figures, and mails to groups."""

from __future__ import annotations

from collections.abc import Iterator

from tests.boot.machine import ADDRESS, Machine, tell

FIGURES, MAILS = "127.0.0.1:9464", ("127.0.0.1", 8024)
DOMAIN = "mail.example.org"
GROUP = "/v1/admin/orgs/acme/groups/sales"
WANTED = (
    "curlew_database_up 1.0",
    'curlew_runners{state="working"} 1.0',
    "curlew_renders{",
    "curlew_disk_bytes{",
)
SEND = f"""
import smtplib, sys
with smtplib.LMTP(*{MAILS!r}) as peer:
    peer.ehlo("mx.example.org")
    head = ("From: ann@example.org", "To: sales@acme.{DOMAIN}", "Message-ID: <m1@example.org>")
    message = "\\r\\n".join((*head, "", "Good day.", ""))
    peer.sendmail("ann@example.org", ["sales@acme.{DOMAIN}"], message)
    try:
        peer.sendmail("ann@example.org", ["nobody@acme.{DOMAIN}"], message)
    except smtplib.SMTPRecipientsRefused as refused:
        print([answer[0] for answer in refused.recipients.values()])
"""


def look(machine: Machine, token: str) -> Iterator[str]:
    """Set both up by the settings and an update, and use them; what is wrong."""
    machine.run(
        'printf \'metrics = "%s"\\nmail_domain = "%s"\\n\' '
        f"{FIGURES} {DOMAIN} >>/etc/curlew/curlew.toml; dpkg -i /curlew.deb"
    )
    machine.run("systemctl is-active curlew-metrics curlew-mail-in")
    yield from _look_at_figures(machine, token)
    yield from _send_mails(machine)
    machine.run("systemctl is-active curlew-metrics curlew-mail-in")


def _look_at_figures(machine: Machine, token: str) -> Iterator[str]:
    command = f"curl -fsS -H 'Authorization: Bearer {token}' http://{ADDRESS}/v1/vis/plots/p1/data"
    machine.run(command)
    found = machine.run(f"curl -fsS http://{FIGURES}/metrics")
    counted = 'curlew_requests_total{method="GET",route="/v1/users/:user/vis/plots/:plot/data",status="200"}'
    lacking = [word for word in (*WANTED, counted) if word not in found]
    if lacking:
        yield f"figures lack {lacking}: {found}"
    else:
        tell(f"figures: {len(found.splitlines())} lines")


def _send_mails(machine: Machine) -> Iterator[str]:
    """A group accepts a mail; an unknown address refuses one."""
    token = machine.run("curlew user add acme --organisation --token boot 2>/dev/null | tail -1")
    head = f"-fsS -H 'Authorization: Bearer {token}' -H 'Content-Type: text/plain'"
    for words in (
        f"-X PUT http://{ADDRESS}/v1/admin/orgs/acme",
        f"-X PUT http://{ADDRESS}{GROUP}",
        f"-d yes http://{ADDRESS}/v1/admin/orgs/acme/profile/options/enable_subdomain",
        f"-d yes http://{ADDRESS}{GROUP}/profile/options/allow_inbound_mail",
    ):
        machine.run(f"curl {head} {words}")
    refused = machine.run("python3 -", SEND)
    taken = machine.run(f"curl {head} http://{ADDRESS}{GROUP}/inbound")
    if refused != "[550]" or '"verdict":' not in taken:
        yield f"mails: refused {refused}, taken {taken}"
    else:
        tell("mails: one taken, one refused")
