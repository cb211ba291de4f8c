"""Run by the Python of ACRO's own environment: ask it for every output of known truth, and print what its rules say.

usage: acro_calls.py FOLDER, with calls.json and one CSV file for each set of people.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from acro import ACRO


def ask(folder: Path, name: str, calls: list[list[Any]]) -> list[dict[str, str]]:
    """ACRO's status and summary of each output of one session."""
    data = pd.read_csv(folder / name)
    session = ACRO(suppress=False)
    for kind, arguments in calls:
        rest = dict(arguments)
        people = data.query(rest.pop("where")) if "where" in rest else data
        if kind == "crosstab":
            values = rest.pop("values", None)
            session.crosstab(
                [people[n] for n in rest.pop("index")],
                people[rest.pop("columns")],
                values=None if values is None else people[values],
                **rest,
            )
        else:
            {"ols": session.olsr, "logit": session.logitr}[kind](rest["formula"], people)
    with tempfile.TemporaryDirectory() as made:
        for output in session.results.results.values():
            # ACRO asks for a reason wherever its rules object; without one it would wait for somebody to type it.
            output.exception = output.exception or "none"
        session.finalise(str(Path(made) / "outputs"), "json", interactive=False)
        written = json.loads((Path(made) / "outputs" / "results.json").read_text(encoding="utf-8"))
    # ACRO adds its notes on linked tables to the session as custom outputs, for the checker alone.
    own = [r for r in written["results"].values() if r["type"] != "custom"]
    return [{"status": r["status"], "summary": r["summary"]} for r in own]


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    found = []
    for name, calls in json.loads((folder / "calls.json").read_text(encoding="utf-8")):
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                found.append(ask(folder, name, calls) if calls else [])
        except Exception as error:  # what ACRO cannot do is a finding too
            found.append([{"status": "error", "summary": f"{type(error).__name__}: {error}"}])
    print(json.dumps({"version": version("acro"), "pandas": version("pandas"), "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
