"""Records to render: real ones, of a safe and an unsafe output of the simulated census, and one full of spite."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from divulge.assess import assess, plan
from divulge.demo import simulated_census
from divulge.spec import read_spec
from divulge.table import write_schema, write_table

N_PEOPLE = 3_000  # few enough to be quick, enough for the regression to be safe

SPITE = (
    "<script>alert(1)</script>",
    "\"quoted' & </td></table>",
    "\u202eright to left\u202c \u200f\u2067",
    "=HYPERLINK(1)|*_`[x](javascript:1)`",
    "averyverylongword" * 12,
    "{{ 7 * 7 }} ${x} \x00\x1b",
)
"""Labels as a stranger might write them."""


SPECS = {
    "safe": """
outputs:
  - {kind: logistic, name: Renting, formula: "TENURE ~ AGE + C(AREAP) + C(MSTATUS) + SEX", decimals: 3, compute: true}
scenario: {target: TENURE, keys: [AGE, AREAP, MSTATUS, SEX], key_sizes: 2-3}
design: {kind: repeated-halves, splits: 30, curve_splits: 3}
""",
    "unsafe": """
outputs:
  - {kind: crosstab, name: Illness, variables: [AREAP, ETHGROUP, MSTATUS, LTILL], compute: true}
design: {kind: repeated-halves, splits: 30, curve_splits: 3}
""",
    "several": """
outputs:
  - {kind: crosstab, variables: [AREAP, ETHGROUP], compute: true}
  - {kind: crosstab, variables: [MSTATUS, SEX], compute: true}
design: {kind: repeated-halves, splits: 10, curve: false}
""",
}
"""Assessments that are quick and yet fill every section of a report."""


TRAJECTORY = {
    "steps": [14_589, 52_356, 92_123, 131_890, 171_657],
    "errors": [0.4658979980140078, 0.2651177383528684, 0.0750404328973646, 0.023315818853415403, 0.00056624539],
    "risks": [0.08535059673928153, 0.09575630001787239, 0.10838612308120023, 0.11480032567468276, 0.1146216017634],
    "at_zero": 0.11388673758399974,
    "slope": -0.06515612822237177,
    "correlation": -0.9950403795941667,
}
"""As the whole census gives it: the search for so few people is over before it can be followed."""


@cache
def _made(spec: str, n_people: int) -> str:
    census = simulated_census(n_people)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_table(census, folder / "census.csv")
        write_schema(census.schema, folder / "census.schema.json")
        text = f"data: census.csv\nschema: census.schema.json\nseed: 1{SPECS[spec]}"
        (folder / "spec.yaml").write_text(text, encoding="utf-8")
        found = assess(plan(read_spec(folder / "spec.yaml")), spec_text=text.encode(), workers=1)
    return json.dumps(found.record)


def census_record(spec: str, n_people: int = N_PEOPLE) -> dict[str, Any]:
    """The record of one of SPECS; made once in a process, and a new copy every time."""
    record: dict[str, Any] = json.loads(_made(spec, n_people))
    if spec == "safe":
        record["trajectory"] |= TRAJECTORY
    return record


def spiteful_record(record: dict[str, Any]) -> dict[str, Any]:
    """The same record with every word that comes from data or spec replaced by a hostile one."""
    found = copy.deepcopy(record)
    words = iter(SPITE * 10_000)
    found["reasons"] = [next(words) for _ in range(3)]
    found["settle"] = [next(words) for _ in range(3)]
    found["spec"]["text"] = "\n".join(SPITE[:5])
    found["data"]["name"] = next(words)
    for output in found["outputs"]:
        output |= {key: next(words) for key in ("name", "description", "sentence")}
        output["reproduced"] -= 1
        for value in output["values"]:
            value["label"] = next(words)
        grid = output["grid"]
        grid["rows"] = [[next(words) for _ in row] for row in grid["rows"]]
        grid |= {key: [next(words) for _ in grid[key]] for key in ("row_names", "columns")}
        grid["column_name"] = next(words)
    for risk in (*found["risk"], *found["exposure"]["scenarios"]):
        risk["scenario"] = next(words)
        risk["caveats"] = [next(words)]
    found["risk"][0]["measures"] = dict(zip(SPITE, found["risk"][0]["measures"].values(), strict=False))
    group = {"people": 100, "exposed": 12, "share": 0.12}
    found["exposure"]["groups"] = [{"variable": next(words), "value": next(words), **group} for _ in range(6)]
    if found.get("trajectory"):
        found["trajectory"] |= {"measure": next(words), "scenario": next(words)}
    return found
