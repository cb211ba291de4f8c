"""Every kind that is searched for has a measured line on the page of limits."""

from __future__ import annotations

import json

from benchmarks.kinds import FIELDS
from divulge.outputs import OUTPUTS
from docs.embedded_kinds import RESULTS


def test_every_kind_was_measured() -> None:
    searched = {kind.kind for kind in OUTPUTS if kind.can_lower and not kind.releases_rows}
    assert set(FIELDS) == searched
    lines = json.loads(RESULTS.read_text(encoding="utf-8"))["lines"]
    assert {line["kind"] for line in lines} == searched, "make bench ARGS=kinds"
