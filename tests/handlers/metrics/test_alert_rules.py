"""Alerts and the dashboard by Prometheus' own tool: it reads every expression, and plays each alert."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.kit.server import ROOT

RULES = ROOT / "deploy" / "prometheus" / "curlew-alerts.yml"
DASHBOARD = ROOT / "deploy" / "prometheus" / "curlew-dashboard.json"
# Of each alert, series in which it has to come, and like ones in which it must not: values by the minute.
TROUBLE: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "CurlewFiguresGone": ({'up{job="curlew"}': "0x60"}, {'up{job="curlew"}': "1x60"}),
    "CurlewDatabaseAway": ({"curlew_database_up": "0x60"}, {"curlew_database_up": "1 0 1x60"}),
    "CurlewDiskNearlyFull": (
        {'curlew_disk_bytes{room="free"}': "1e9x60", 'curlew_disk_bytes{room="total"}': "4e10x60"},
        {'curlew_disk_bytes{room="free"}': "6e9x60", 'curlew_disk_bytes{room="total"}': "4e12x60"},
    ),
    "CurlewLimitNear": (
        {'curlew_limit_near{limit="tracked"}': "1x60", 'curlew_limit_near{limit="files"}': "0x60"},
        {'curlew_limit_near{limit="tracked"}': "1 0x60"},
    ),
    "CurlewBackupOld": (
        {'curlew_backup_seconds{state="written"}': "-200000x120"},
        {'curlew_backup_seconds{state="written"}': "-100000x120"},
    ),
    "CurlewCertificateEnds": (
        {'probe_ssl_earliest_cert_expiry{job="curlew-tls"}': "1000000x120"},
        {'probe_ssl_earliest_cert_expiry{job="curlew-tls"}': "2000000x120"},
    ),
    "CurlewRunnerLost": (
        {'curlew_runners{state="late"}': "1x60"},
        {'curlew_runners{state="late"}': "0 1 0x60"},
    ),
    "CurlewRenderDown": (
        {'curlew_info{instance="a"}': "1x60", 'curlew_renders{instance="b",state="in_hand"}': "0x60"},
        {'curlew_info{instance="a"}': "1x60", 'curlew_renders{instance="a",state="in_hand"}': "0x60"},
    ),
    "CurlewNoRunner": (
        {'curlew_runners{state="working"}': "0x60"},
        {'curlew_runners{state="working"}': "1x60"},
    ),
    "CurlewRunnerWithoutPodman": (
        {'curlew_runners{state="without_podman"}': "1x60"},
        {'curlew_runners{state="without_podman"}': "0x60"},
    ),
    "CurlewRunsQueued": (
        {'curlew_runs_oldest_seconds{state="queued"}': "1800+60x60"},
        {'curlew_runs_oldest_seconds{state="waiting"}': "1800+60x60"},
    ),
    "CurlewBuildsQueued": (
        {'curlew_builds_oldest_seconds{state="queued"}': "3600+60x60"},
        {'curlew_builds_oldest_seconds{state="queued"}': "0+60x59"},
    ),
    "CurlewHoldForgotten": (
        {'curlew_holds_oldest_seconds{state="waiting"}': "700000x120"},
        {'curlew_holds_oldest_seconds{state="waiting"}': "500000x120"},
    ),
    "CurlewMailsStuck": (
        {'curlew_mails_waiting{kind="notice"}': "1x120"},
        {'curlew_mails_waiting{kind="sending"}': "1x120"},
    ),
    "CurlewRequestsFail": (
        {
            'curlew_requests_total{status="200"}': "0+600x60",
            'curlew_requests_total{status="503"}': "0+20x60",
        },
        {'curlew_requests_total{status="200"}': "0+600x60", 'curlew_requests_total{status="503"}': "0+2x60"},
    ),
    "CurlewSlow": (
        {
            'curlew_request_seconds_bucket{kind="read",le="2.5"}': "0+50x60",
            'curlew_request_seconds_bucket{kind="read",le="5"}': "0+90x60",
            'curlew_request_seconds_bucket{kind="read",le="+Inf"}': "0+90x60",
        },
        {
            'curlew_request_seconds_bucket{kind="job",le="2.5"}': "0+50x60",
            'curlew_request_seconds_bucket{kind="job",le="5"}': "0+90x60",
            'curlew_request_seconds_bucket{kind="job",le="+Inf"}': "0+90x60",
        },
    ),
    "CurlewTurnsAway": (
        {'curlew_turned_away_total{why="connections",how="closed"}': "0+60x60"},
        {'curlew_turned_away_total{why="malformed",how="answered"}': "0+60x60"},
    ),
    "CurlewSignInsRefused": (
        {'curlew_security_events_total{event="sign-in",outcome="refused"}': "0+60x60"},
        {'curlew_security_events_total{event="sign-in",outcome="ok"}': "0+60x60"},
    ),
}


def rules() -> dict[str, dict[str, str]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def promtool(*words: str | Path) -> None:
    done = subprocess.run(["promtool", *words], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_played() -> None:
    assert set(TROUBLE) == set(rules())


@pytest.mark.parametrize("series, comes", [(0, True), (1, False)], ids=["trouble", "none"])
def test_alerts_come_where_there_is_trouble_and_nowhere_else(
    tmp_path: Path, series: int, comes: bool
) -> None:
    plays = [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in told[series].items()],
            "promql_expr_test": [
                {
                    "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})',
                    "eval_time": "110m" if "x120" in str(told) else "55m",
                    "exp_samples": [{"value": 1}] if comes else [],
                }
            ],
        }
        for alert, told in TROUBLE.items()
    ]
    play = tmp_path / "play.yml"
    play.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": plays}))
    promtool("test", "rules", play)


def test_every_expression_of_the_dashboard_is_one(tmp_path: Path) -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    recorded = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(asked)]
    file = tmp_path / "dashboard.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": recorded}]}))
    promtool("check", "rules", file)


def test_panels_stand_beside_each_other() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    places = [panel["gridPos"] for panel in panels]
    cells = [
        (x, y)
        for place in places
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(place["x"] + place["w"] <= 24 for place in places)
