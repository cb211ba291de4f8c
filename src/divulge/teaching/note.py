"""What a class is told: the note, which says figure by figure what is reproduced, and the data dictionary."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from divulge import __version__
from divulge.kernels.arrays import Floats
from divulge.objective import Target
from divulge.table import Table, Variable
from divulge.table.variable import value_text
from divulge.teaching.make import Dataset

SOURCES = {
    "frequencies": "its frequencies in the schema",
    "output": "the frequencies that a published output gives",
    "uniform": "nothing: every possible value is as likely as any other",
}
"""Where the distribution of a variable comes from, in words."""

MOST_PAIRS = 60
"""Pairs of variables that are listed one by one; with more, only their number is said."""

MOST_LEVELS = 60
"""Values that the data dictionary lists one by one."""


def note(data: Dataset, title: str, stem: str, skipped: dict[str, str]) -> str:
    """The note as Markdown. skipped: formats that could not be written, with the reason."""
    n_versions, n_rows = len(data.versions), data.versions[0].table.n_rows
    several = f", in {n_versions} versions with the same answers" if n_versions > 1 else ""
    parts = [
        f"# {title}",
        f"**Simulated data. Nobody in them exists.** {n_rows:,} rows{several}, made from {data.n_figures:,} published "
        "figures and a list of variables, without access to the data behind the figures.",
        _in_short(data),
        "## What these data reproduce",
        "A figure is reproduced where it rounds to what was printed.",
        *(part for i in range(len(data.targets)) for part in _output(data, i)),
        "## What is made up",
        "Everything else. A relation between variables that is not one of the figures above is an accident of the "
        "search, and another version has another one. No finding on these data says anything about people.",
        _made_up(data),
        *_weight(data),
        "## How they were made",
        _how(data),
        "## Files",
        _files(data, stem, skipped),
    ]
    return "\n\n".join(p for p in parts if p) + "\n"


def _in_short(data: Dataset) -> str:
    missed = [v.n_missed for v in data.versions]
    if not any(missed):
        return f"All {data.n_figures:,} published figures come out as printed."
    worst = f"{max(missed):,} of {data.n_figures:,} published figures do **not** come out as printed"
    return worst + (" in the worst version" if len(missed) > 1 else "") + "; they are marked below."


def agreement(data: Dataset, output: int) -> Floats:
    """For every figure of an output, in how many versions it comes out as printed."""
    return np.sum([v.embedding.outputs[output].agrees for v in data.versions], axis=0)


def _output(data: Dataset, i: int) -> list[str]:
    target = data.targets[i]
    output, released = target.output, target.released
    agreed, n_versions = agreement(data, i), len(data.versions)
    complete = int((agreed == n_versions).sum())
    lines = ["| figure | published | here | reproduced |", "|---|---:|---:|---|"]
    shown = released.precision.texts(released.values)
    here = released.precision.texts(data.versions[0].embedding.outputs[i].values)
    for k, label in enumerate(released.labels):
        said = "yes" if agreed[k] == n_versions else "**no**" if n_versions == 1 else f"**in {agreed[k]} versions**"
        lines.append(f"| {_cell(label)} | {shown[k] or 'withheld'} | {here[k] or 'undefined'} | {said} |")
    return [
        f"### {i + 1}. {output.name or output.kind}",
        f"{output.describe()} {complete:,} of {len(released.labels):,} figures reproduced at "
        f"{released.precision.describe()}" + (f" in all {n_versions} versions." if n_versions > 1 else "."),
        "\n".join(lines),
    ]


def _made_up(data: Dataset) -> str:
    lines = []
    extra = set(data.extra)
    counted = {n for t in data.published if t.output.growth == "extensive" for n in t.output.own_variables()}
    for variable in data.schema:
        source = SOURCES[data.knowledge.sources[variable.name]]
        if variable.name in extra:
            lines.append(f"- `{variable.name}` is in no published figure: drawn from {source}, related to nothing.")
        elif data.knowledge.sources[variable.name] == "uniform" and variable.name not in counted:
            lines.append(f"- `{variable.name}`: how it is distributed, as far as the figures leave that open.")
    together = [set(t.output.uses(data.schema)) for t in data.published]
    apart = [
        (a, b)
        for a, b in combinations([n for n in data.schema.names if n not in extra], 2)
        if not any({a, b} <= used for used in together)
    ]
    if len(apart) > MOST_PAIRS:
        lines.append(f"- How {len(apart):,} pairs of variables hang together that are in no published output together.")
    elif apart:
        pairs = ", ".join(f"`{a}` and `{b}`" for a, b in apart)
        lines.append(f"- How these hang together, which are in no published output together: {pairs}.")
    if data.schema.rules:
        rules = ", ".join(f"`{rule}`" for rule in data.schema.rules)
        lines.append(f"- Every row keeps the edit rules {rules}.")
    return "\n".join(lines)


def _weight(data: Dataset) -> list[str]:
    settings = data.settings.weight
    if settings is None:
        return []
    lines = ["| group | population | weighted rows |", "|---|---:|---:|"]
    version = data.versions[0]
    assert version.weights is not None, "a weight was asked for"
    for margin in data.margins:
        found = np.bincount(margin.groups.numbers(version.table), version.weights, minlength=len(margin.counts))
        for label, count, here in zip(margin.groups.labels(), margin.counts, found, strict=True):
            lines.append(f"| {_cell(label)} | {count:,.10g} | {here:,.1f} |")
    effect = max(v.design_effect or 1.0 for v in data.versions)
    return [
        "## The weight",
        f"`{settings.name}` was calibrated by raking (Deming & Stephan 1940), so that the weighted rows have the "
        f"margins of a population. It is as simulated as the rest. Design effect {effect:.2f} (Kish 1965). The "
        "published figures above are unweighted unless they say otherwise.",
        "\n".join(lines),
    ]


def _how(data: Dataset) -> str:
    seconds = sum(v.seconds for v in data.versions)
    attempts = sum(v.attempts for v in data.versions)
    return (
        f"By `divulge teach` {__version__} with the seed {data.seed}: a search for rows that give the published "
        f"figures (Elliot, Little & Allmendinger 2024), {attempts} {'searches' if attempts != 1 else 'search'} in "
        f"{seconds:.1f} seconds. The same spec and seed give the same rows."
    )


def _files(data: Dataset, stem: str, skipped: dict[str, str]) -> str:
    lines = [
        f"- `{stem}*.csv`, `.sav`, `.dta`: the rows, for any program, for SPSS and for Stata, with labels where the "
        "format has them.",
        f"- `{stem}-dictionary.md` and `{stem}.schema.json`: the data dictionary, for people and for programs.",
        f"- `{stem}.ipynb`: the published analyses, rerun on these data with pandas and statsmodels.",
        f"- `{stem}-published.csv`: the published figures that the notebook compares with.",
    ]
    lines += [f"- No `{ending}` file: {reason}" for ending, reason in skipped.items()]
    return "\n".join(lines)


def dictionary(data: Dataset, title: str) -> str:
    """The data dictionary as Markdown: every variable with its values, labels and missing codes."""
    table = data.versions[0].table
    extra = set(data.extra)
    parts = [f"# Data dictionary: {title}", "Simulated data: nobody in them exists."]
    for variable in table.schema:
        parts.append(f"## {variable.name}")
        kind = variable.kind + (", ordered" if variable.is_ordered else "")
        about = [f"{variable.title}." if variable.title else "", f"{kind.capitalize()}."]
        if variable.name in extra:
            about.append("In no published figure: made up.")
        parts.append(" ".join(a for a in about if a))
        parts.append(_values(variable, table))
    return "\n\n".join(parts) + "\n"


def _values(variable: Variable, table: Table) -> str:
    counts = table.frequencies(variable.name).tolist()
    listed = [*variable.values.tolist(), *variable.missing]
    if variable.kind == "numeric" and variable.n_values > MOST_LEVELS:
        shown = f"{value_text(listed[0])} to {value_text(listed[variable.n_values - 1])}, {variable.n_values:,} values."
        listed, counts = listed[variable.n_values :], counts[variable.n_values :]
        if not listed:
            return shown
    else:
        shown = ""
    lines = ["| value | label | rows |", "|---|---|---:|"]
    first_missing = len(listed) - len(variable.missing)
    for i, (value, n) in enumerate(zip(listed, counts, strict=True)):
        label = variable.labels.get(value, "") + (" (missing)" if i >= first_missing else "")
        lines.append(f"| {_cell(value_text(value)) or 'empty'} | {_cell(label.strip())} | {n:,} |")
    return "\n\n".join(p for p in (shown, "\n".join(lines)) if p)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def figures_missed(target: Target, data: Dataset, i: int) -> list[tuple[str, str, str]]:
    """(label, published, reached in the first version that misses it) of each figure that is not as printed."""
    released = target.released
    shown = released.precision.texts(released.values)
    found: dict[int, str] = {}
    for version in data.versions:
        one = version.embedding.outputs[i]
        reached = released.precision.texts(one.values)
        for k in np.flatnonzero(~one.agrees).tolist():
            found.setdefault(k, reached[k] or "undefined")
    return [(released.labels[k], shown[k] or "withheld", text) for k, text in sorted(found.items())]
