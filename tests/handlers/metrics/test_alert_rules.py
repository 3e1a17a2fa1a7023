"""Alerts and the dashboard by Prometheus' own tool, which reads every expression.

Each alert is played in test_alerts_fire.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import yaml

from tests.kit.server import ROOT

RULES = ROOT / "deploy" / "prometheus" / "curlew-alerts.yml"
DASHBOARD = ROOT / "deploy" / "prometheus" / "curlew-dashboard.json"


def rules() -> dict[str, dict[str, str]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def promtool(*words: str | Path) -> None:
    done = subprocess.run(["promtool", *words], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_is_read() -> None:
    promtool("check", "rules", RULES)


def test_every_expression_of_the_dashboard_is_one(tmp_path: Path) -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    recorded = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(expressions)]
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
