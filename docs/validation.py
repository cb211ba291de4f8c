"""docs/validation.md: what `make validate` found last, from benchmarks/results/validation, with what it ran on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs.performance import cell, ran_on

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results" / "validation"

Line = dict[str, Any]


def validation_page() -> str:
    """One section for each check that has results."""
    parts = [
        "# Validation",
        "This page is generated from the results of `make validate`: assessments of outputs whose truth is known, on "
        "the simulated census and on the CPS extract, with nothing set but the seed. The figures are what was found, "
        "whether or not it is what was aimed at.",
    ]
    for name, section in SECTIONS.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            result = json.loads(file.read_text(encoding="utf-8"))
            parts += [*section(result), ran_on(result["ran_on"])]
    return "\n\n".join(parts) + "\n"


def _known_truth(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    must = [
        ("planted people found", "all", f"{t['planted found']:,} of {t['planted']:,}"),
        (
            "others called exposed, of all called exposed where people were planted or the output is safe",
            "at most 5 %",
            f"{t['called exposed beside the planted']:,} of {t['called exposed']:,}",
        ),
        ("safe outputs refused", "none", f"{t['safe refused']:,} of {t['safe']:,}"),
        ("safe outputs released (the rest is *review*)", "at least 95 %", f"{t['safe released']:,} of {t['safe']:,}"),
        ("unsafe outputs refused", "all", f"{t['unsafe refused']:,} of {t['unsafe']:,}"),
        ("unsafe outputs without anybody counted as exposed", "none", f"{t['unsafe without anybody counted']:,}"),
        (
            "two tables that differ by one person, caught together and by neither alone",
            "all",
            f"{t['emergent caught only together']:,} of {t['emergent']:,}",
        ),
    ]
    acro = _acro()
    rows = [
        {
            "output": x["output"],
            "data": x["data"],
            "rows": f"{x['rows']:,}",
            "truth": x["truth"],
            "seeds": x["seeds"],
            "verdicts": ", ".join(f"{v} {x[v]}" for v in ("release", "review", "refuse") if x[v]),
            "marginal risk": f"{x['marginal risk']:.4f}",
            "planted found": _of(x, "planted"),
            "determined found": _of(x, "determined"),
            "others called exposed": f"{x['others']:,}",
            "ACRO": acro.get((x["output"], x["data"], x["rows"]), ""),
        }
        for x in result["lines"]
    ]
    return [
        "## Outputs of known truth",
        "*Planted* people have a value that nobody else has. *Determined* are people of whom a full table gives a "
        "value away: all who are like them in its other variables have the same one. Whoever has company there is "
        "given away by the others as well, so that not all who are determined are exposed by being in the data. "
        "*Others* are called exposed and are neither; in fine tables they stand in cells of two or three whose "
        "values differ, each given away in part. The more people a fine table has, the more stand in such cells, and "
        "being determined is no longer the whole truth; [below](#people-in-fine-tables) it is counted. Counts are "
        "summed over the seeds. Thresholds, the search and the second look at people were settled while looking "
        "at other seeds. *Marginal risk* is the largest of the scenarios, its mean over the seeds.",
        _grid(["what must hold", "needed", "found"], must),
        _lines(rows),
        "*ACRO* is what the rules of ACRO say of the same output on people drawn alike (one seed): a threshold of ten "
        "for cells, dominance, degrees of freedom. It is told nothing about other outputs; it lists tables that share "
        "variables for a checker to compare by hand. Divulge's verdict on a maximum is by a rule too: whoever knows "
        "who holds it needs no search.",
    ]


def _acro() -> dict[tuple[str, str, int], str]:
    file = RESULTS / "acro.json"
    lines = json.loads(file.read_text(encoding="utf-8"))["lines"] if file.exists() else []
    return {(x["output"], x["data"], x["rows"]): x["status"] for x in lines}


def _of(line: Line, what: str) -> str:
    return f"{line[what + ' found']:,} of {line[what]:,}" if line[what] else ""


def _coverage(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    rows = [
        {
            "output": x["output"],
            "figure": x["measure"],
            "intervals": x["runs"],
            "coverage": f"{x['coverage']:.1%}",
            "below": f"{x['too low']:.1%}",
            "above": f"{x['too high']:.1%}",
            "long run": f"{x['long run']:.4f}",
            "mean width": f"{x['mean width']:.4f}",
            "least width": f"{x['at least width']:.0%}",
        }
        for x in result["lines"]
    ]
    # As the check has it: 93 to 97 %, and twice the standard error of so many intervals.
    outside = [
        f"{x['measure']} of *{x['output']}* ({x['coverage']:.1%})"
        for x in result["lines"]
        if x["coverage"] + _error(x) < 0.93 or (x["coverage"] - _error(x) > 0.97 and x["at least width"] < 0.5)
    ]
    return [
        "## Coverage of the intervals",
        f"How often the 95 % interval of {t['splits']} splits holds the mean of all runs, on {t['rows']:,} people of "
        "the simulated census, and on everybody of two data sets from elsewhere (432 prisoners, 1,388 births): for the "
        "marginal risk, and for the differences of measures between people in and out. "
        "*Below* and *above*: the whole interval lies on that side of the long run. *Least width*: how many intervals "
        "are as narrow as they can be (what no split of n shows may happen in 3/n of all, Hanley and Lippman-Hand "
        "1983, and then one person more or less counts); where most are, the difference hardly ever changes, and they "
        "hold the long run more often than 95 %.",
        _lines(rows),
        f"Outside of 93 to 97 %, and twice the error of so many intervals: {', '.join(outside) or 'none'}.",
    ]


def _error(line: Line) -> float:
    """Twice the standard error of a coverage of 95 %."""
    return float(2 * (0.05 * 0.95 / line["runs"]) ** 0.5)


def _calibration(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    return [
        "## p-values of exposures",
        f"Safe regressions on {t['rows']:,} people, {t['seeds']} seeds, {t['splits']} splits each: the share of people "
        "whose p-value is at most the level, and a one-sided Kolmogorov–Smirnov test that p-values are too small "
        "anywhere (*largest excess*: of their distribution over the uniform one).",
        _lines(result["lines"]),
    ]


def _epsilon(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    return [
        "## ε of a mechanism that is known",
        f"Scores of people in and out of a Gaussian mechanism, {t['runs']} runs each: how often each lower bound "
        f"({1 - t['level']:.0%} sure, δ = {t['delta']:g}) is below the true ε, and its median beside it.",
        _grid(
            ["pairs", "true ε", "bound", "runs below the truth", "median", "of the truth"],
            [
                (
                    x["pairs"],
                    f"{x['truth']:.2f}",
                    x["bound"],
                    f"{x['below']:.1%}",
                    f"{x['median']:.2f}",
                    f"{x['of_truth']:.0%}",
                )
                for x in result["lines"]
            ],
        ),
    ]


def _true_exposure(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    must = [
        (
            "people called exposed who are not, of all who are called so, all outputs and sizes together",
            "at most 5 %",
            f"{t['called, not truly']:,} of {t['called exposed']:,}",
        ),
        ("people who are exposed and are called so", "", f"{t['both']:,} of {t['truly exposed']:,}"),
    ]
    return [
        "## People in fine tables",
        "A full table is its microdata, so everybody's true exposure at full size can be counted: their score in the "
        "table, less their score in the table without them. No search, no split and no test is in it. *Truly exposed*: "
        f"by more than δ = {t['delta']:g}, or because their value is certain in a class of one or two. Counts are "
        "summed over the seeds.",
        _grid(["what must hold", "needed", "found"], must),
        _lines(result["lines"]),
    ]


def _rules(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    return [
        "## What ACRO says",
        f"ACRO {t['acro']} with pandas {t['pandas']}, in an environment of its own.",
        _lines([{k: x[k] for k in ("output", "data", "rows", "truth", "status", "summary")} for x in result["lines"]]),
    ]


def _faults(result: dict[str, Any]) -> list[str]:
    t, lines = result["totals"], result["lines"]
    names = {"client": "a process that hands in, decides and releases, as the server does", "worker": "a worker"}
    rows = [
        {"killed": names.get(name, "the whole of PostgreSQL"), "times": n}
        for name, n in sorted(t["killed"].items(), key=lambda item: -item[1])
    ]
    return [
        "## kill −9",
        f"{t['runs']} scripted runs, half of them on PostgreSQL, half on SQLite: six submissions each, handed in, "
        "assessed, decided on by two checkers and released, by two processes that both try everything, while up to "
        "four times something is killed at a random moment and started again. In the end no submission may be lost, "
        "nothing decided, released or assessed twice, and the audit trail must be whole.",
        _lines(rows),
        f"Runs in which anything was wrong: {sum(bool(x['wrong']) for x in lines)} of {t['runs']}.",
    ]


def _serve_faults(result: dict[str, Any]) -> list[str]:
    t, lines = result["totals"], result["lines"]
    moments = list(dict.fromkeys(x["moment"] for x in lines))
    names = {
        "submit": "within 40 ms of handing in",
        "decide": "within 40 ms of a decision",
        "release": "within 40 ms of a release",
        "assess": "while it assesses",
        "start": "while it starts, after another kill",
    }
    rows = [
        {
            "killed": names[moment],
            "runs": sum(x["moment"] == moment for x in lines),
            "then restored into the other database": sum(
                x["killed"]["restored"] for x in lines if x["moment"] == moment
            ),
            "runs in which anything was wrong": sum(bool(x["wrong"]) for x in lines if x["moment"] == moment),
        }
        for moment in moments
    ]
    return [
        "## kill −9 of the service itself",
        f"{t['runs']} runs of {t['wanted']} with `divulge serve` and its worker: programs hand in, decide and release, "
        "each thing again where it is not known whether it worked, while the service is killed and started again "
        f"({t['killed']['service']} times). In {t['killed']['restored']} of the runs the ledger was then backed up and "
        "restored into the other database, SQLite or PostgreSQL, and went on there. Runs follow each other on one "
        "ledger. After every run all that was handed in is released, nothing is lost or done twice, and the audit "
        "trail is whole.",
        _lines(rows),
    ]


def _foreign(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    must = [
        ("unsafe outputs released", "none", f"{t['unsafe released']:,} of {t['unsafe']:,}"),
        ("safe outputs refused", "none", f"{t['safe refused']:,} of {t['safe']:,}"),
        ("safe outputs released (the rest is *review*)", "at least 95 %", f"{t['safe released']:,} of {t['safe']:,}"),
        ("unsafe outputs refused (the rest is *review*)", "", f"{t['unsafe refused']:,} of {t['unsafe']:,}"),
    ]
    rows = [
        {
            "output": x["output"],
            "data": x["data"],
            "rows": f"{x['rows']:,}",
            "given away": x["given away"] or "",
            "truth": x["truth"],
            "seed": x["seed"],
            "search": x["seconds a search"],
            "load": x.get("load", ""),
            "verdict": x["verdict"],
            "exposed": x.get("exposed", ""),
            "power": f"{x['power']:.2f}" if "power" in x else "",
            "why not as the truth has it": "" if _as_true(x) else x["reasons"][0],
        }
        for x in result["lines"]
    ]
    return [
        "## Outputs on data that nobody tuned for",
        f"{t['run']} of {t['outputs']} outputs, on {t['data sets']} data sets from elsewhere (surveys, censuses, "
        "births, prisoners). *Given away*: of how many people an attack gets "
        "something, written out in a few lines on the data frame (`benchmarks/validation/foreign_data/*attacks.py`), "
        "without any part of Divulge. *Between*: what a custodian's policy decides. *Search*: the seconds that one "
        "search was given; *load*: how many programs wanted one of the two processors. Seconds are those of the clock, "
        "so a busy machine reproduces fewer figures and reviews more.",
        _grid(["what must hold", "needed", "found"], must),
        _lines(rows),
    ]


def _settings(result: dict[str, Any]) -> list[str]:
    lines = [x for x in result["lines"] if x["truth"] == "unsafe"]
    found = []
    for splits, seconds in sorted({(x["splits"], x["seconds a search"]) for x in lines}):
        verdicts = [x["verdict"] for x in lines if (x["splits"], x["seconds a search"]) == (splits, seconds)]
        counts = {v: verdicts.count(v) for v in ("release", "review", "refuse")}
        found.append({"splits": splits, "seconds a search": seconds, "unsafe outputs": len(verdicts), **counts})
    return [
        "## Unsafe outputs at any setting",
        "Unsafe outputs of the list above with few splits and short searches. None may be released, whatever the "
        f"setting. {len({(x['output'], x['data']) for x in lines})} outputs on {len({x['data'] for x in lines})} data "
        "sets.",
        _lines(found),
    ]


def _foreign_rules(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    must = [
        ("unsafe outputs about which nothing is said before any search", "none", f"{t['unsafe, nothing said']:,}"),
        ("unsafe outputs refused before any search", "", f"{t['unsafe, refuse']:,} of {t['unsafe']:,}"),
        ("safe outputs held back", "none", f"{t['safe'] - t['safe, nothing said']:,} of {t['safe']:,}"),
    ]
    left = [x for x in result["lines"] if x["truth"] == "unsafe" and x["before any search"] == "nothing said"]
    named = ", ".join(f"{x['output']} ({x['data']})" for x in left)
    return [
        "## Before any search",
        "What rules, audit and attacks say of the same outputs, without a split and without a search. The strictest "
        "reason makes the verdict, so that what they hold back is released at no number of splits and no length of a "
        f"search. {'The contrast has to find: ' + named + '.' if named else ''}".rstrip(),
        _grid(["what must hold", "needed", "found"], must),
    ]


def _power(result: dict[str, Any]) -> list[str]:
    t = result["totals"]
    return [
        "## Power, stated and measured",
        f"Of {t['planted']:,} people in assessments of {t['rows']:,}, one at a time is made exposed by twice δ: their "
        "score is raised wherever they are in, in the halves and in the second look. Searches, splits and tests are "
        "real. *Stated*: the probability that the assessment says; *found*: the share of the planted that it finds. "
        f"In all {t['stated']:.3f} is stated and {t['found']:.3f} found; 0.05 apart is allowed. With 16 splits the "
        "tests can hardly reach their level, and it is said.",
        _lines([{k: f"{v:.2f}" if isinstance(v, float) else v for k, v in x.items()} for x in result["lines"]]),
    ]


def _as_true(line: Line) -> bool:
    wanted = {"safe": "release", "unsafe": "refuse"}
    return wanted.get(line["truth"], line["verdict"]) == line["verdict"]


SECTIONS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "known_truth": _known_truth,
    "foreign": _foreign,
    "foreign_rules": _foreign_rules,
    "foreign_settings": _settings,
    "power": _power,
    "true_exposure": _true_exposure,
    "coverage": _coverage,
    "calibration": _calibration,
    "acro": _rules,
    "faults": _faults,
    "serve_faults": _serve_faults,
    "epsilon": _epsilon,
}
"""How the results of each check are shown, in order."""


def _lines(lines: list[Line]) -> str:
    names = list(dict.fromkeys(key for line in lines for key in line))
    return _grid(names, [[line.get(n) for n in names] for line in lines])


def _grid(names: list[str], rows: Any) -> str:
    made = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    return "\n".join(made + [f"| {' | '.join(_text(value) for value in row)} |" for row in rows])


def _text(value: Any) -> str:
    return " ".join(cell(value).split())
