"""`divulge.check`: a researcher's own results and the data frame they come from, before anything is submitted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from divulge.assess import Step, assess, plan
from divulge.assess.remarks import find_remarks
from divulge.assess.scenarios import scenarios_for
from divulge.designs import RepeatedHalves
from divulge.errors import OutputError, UsageError
from divulge.outputs import Output, Released, read_released
from divulge.outputs.fields import in_field
from divulge.outputs.released.computed import compute
from divulge.policy import Policy, make_policy
from divulge.readers.great_tables import from_great_tables
from divulge.readers.lifelines import from_lifelines
from divulge.readers.linearmodels import from_linearmodels
from divulge.readers.pandas import from_pandas
from divulge.readers.pyfixest import from_pyfixest
from divulge.readers.statsmodels import from_statsmodels
from divulge.record import dumps, to_plain, write_text
from divulge.reports import Html, card
from divulge.safer import Proposal, mitigate
from divulge.scenario import EVERY, Scenario
from divulge.settings import Choice
from divulge.spec import Assessment, Inputs, read_policy
from divulge.synthesisers import Descent
from divulge.table import Table, table_from_frame

N_NAMED = 3
"""How many figures that do not agree an error names."""


_ANOTHER_FRAME = (
    "Is this the frame that the result was computed from? For a part of it say which rows, as in "
    "from_statsmodels(result, where='age >= 18'). A search, as that of MixedLM, may have ended before the last digits "
    "were right: fit with gtol=1e-7."
)


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """What was found. In a notebook it shows itself; `verdict`, `reasons` and the whole `record` are there to use."""

    record: Mapping[str, Any] = field(repr=False)
    asked: tuple[Assessment, Inputs] | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """release, review or refuse."""
        return str(self.record["verdict"])

    @property
    def reasons(self) -> list[str]:
        return list(self.record["reasons"])

    @property
    def settle(self) -> list[str]:
        """What would settle a review."""
        return list(self.record["settle"])

    def __repr__(self) -> str:
        lines = [self.verdict.upper(), *(f"  - {reason}" for reason in self.reasons)]
        lines += [f"Mind: {finding['sentence']}" for finding in self.record.get("findings", ())]
        if self.settle:
            lines += ["What would settle it:", *(f"  - {step}" for step in self.settle)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return card(self.record)

    def mitigate(self, most: int = 8, workers: int = 0) -> list[Proposal]:
        """Changes with which the results are released, the least loss first; none where they are, or none was found.

        Each has a `sentence`, the `outputs` as they would be released, and was assessed in full. most: candidates that
        are assessed.
        """
        if self.asked is None:
            raise UsageError("there is nothing to change: the check was not made from results.", where="mitigate")
        return list(mitigate(self.asked[0], inputs=self.asked[1], most=most, workers=workers).proposals)

    def report(self, path: str | Path) -> Path:
        """Write the full report as one HTML file."""
        write_text(Path(path), Html().render(self.record))
        return Path(path)

    def save(self, path: str | Path) -> Path:
        """Write the record, from which `divulge report` makes reports."""
        write_text(Path(path), dumps(self.record))
        return Path(path)


def check(  # noqa: PLR0913 - what a researcher may say in one call
    frame: Any,
    *results: Any,
    target: str | None = None,
    keys: Sequence[str] | None = None,
    splits: int = 30,
    seconds: float | None = None,
    policy: Mapping[str, Any] | str | Path | None = None,
    rules: str | None = None,
    seed: int = 1,
    workers: int = 0,
    progress: bool | None = None,
) -> Check:
    """Whether results may be released: fitted models of statsmodels, lifelines, linearmodels or pyfixest, crosstabs of
    pandas or great_tables, or outputs.

    frame: the data frame that they were computed from, or a table. target, keys: what an intruder wants and knows; all
    variables of the results where absent. splits: random halves of the data; seconds: the longest of one search; where
    absent, all of them together have a minute. policy: thresholds, or the name of a file of them. rules: the rule book,
    such as acro, or a file. progress: whether to show how far it is; None: where it is seen.
    """
    if not results:
        raise UsageError(
            "at least one result is needed.", where="check", hint="As in divulge.check(frame, model.fit())."
        )
    table = frame if isinstance(frame, Table) else table_from_frame(frame)
    outputs: list[Output] = []
    released: list[Released | None] = []
    for i, result in enumerate(results):
        with in_field(f"results[{i}]"):
            output = _output(result)
            output.check(table.schema)
            outputs.append(output)
            released.append(_checked(output, table))
    scenario = Scenario((EVERY,) if keys is None else tuple(keys), EVERY if target is None else target)
    assessment = Assessment(
        outputs=tuple(outputs),
        folder=Path(),
        scenarios=(scenario,) if target is not None or keys is not None else (),
        design=RepeatedHalves(splits_wanted=splits, curve=False),
        synthesiser=Choice(Descent, {} if seconds is None else {"seconds": seconds}),
        policy=_policy(policy, rules),
        seed=seed,
    )
    inputs = Inputs(table.schema, table, table.n_rows, tuple(released))
    is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
    listener = _line() if (is_seen if progress is None else progress) else None
    ready = plan(assessment, inputs)
    try:
        found = assess(ready, workers=workers, listener=listener)
    finally:
        if listener is not None:
            print("\r" + " " * WIDTH + "\r", end="", file=sys.stderr, flush=True)
    remarks = find_remarks(table, outputs, scenarios_for(assessment.scenarios, outputs, table.schema))
    return Check({**found.record, "findings": to_plain(remarks)}, (assessment, inputs))


def _policy(given: Mapping[str, Any] | str | Path | None, rules: str | None) -> Policy:
    """The policy, with the rule book that is named beside it."""
    policy = read_policy(Path(given)) if isinstance(given, str | Path) else make_policy(given)
    return policy if rules is None else replace(policy, profile=rules)


_READERS: Mapping[str, Callable[[Any], Output]] = {
    "pandas": from_pandas,
    "lifelines": from_lifelines,
    "linearmodels": from_linearmodels,
    "pyfixest": from_pyfixest,
    "great_tables": from_great_tables,
}
"""By the package that an object comes from. None of them is imported here but pandas."""


def _output(result: Any) -> Output:
    if isinstance(result, Output):
        return result
    reader = _READERS.get(type(result).__module__.split(".")[0])
    if reader is not None:
        return reader(result)
    if (hasattr(result, "model") and hasattr(result, "params")) or type(result).__name__ == "DiscreteMargins":
        return from_statsmodels(result)
    if hasattr(result, "tree_"):
        raise OutputError(
            "a tree of scikit-learn does not know what its response is called.",
            hint="Say so: check(data, divulge.readers.sklearn.from_sklearn(tree, response='ill')).",
        )
    if type(result).__module__.startswith("sklearn."):
        raise OutputError(
            f"{type(result).__name__} of scikit-learn is no set of figures that could be embedded.",
            hint="Fit coefficients with statsmodels; for forests and the like see divulge.assess.black_boxes.",
        )
    raise OutputError(
        f"a fitted model, a crosstab of pandas or an output is needed, this is of the type {type(result).__name__!r}.",
        hint="Give what fit() or pd.crosstab returned; other outputs are described in a spec.",
    )


def _checked(output: Output, table: Table) -> Released | None:
    """The released figures; an error where the frame does not give them."""
    try:
        given = read_released(output, table.schema, None, table.n_rows, together=False)
    except OutputError as error:
        # Levels that a part of the frame has not make figures that the result has not.
        error.hint = error.hint or _ANOTHER_FRAME
        raise
    if given is None:
        return None
    computed = compute(output, table, given)
    assert computed.agrees is not None, "released figures were given"
    wrong = [label for label, agrees in zip(given.labels, computed.agrees, strict=True) if not agrees]
    if wrong:
        named = ", ".join(wrong[:N_NAMED]) + (", …" if len(wrong) > N_NAMED else "")
        raise OutputError(
            f"{len(wrong):,} of {len(given.labels):,} figures are not what the frame gives: {named}.",
            hint=_ANOTHER_FRAME,
        )
    return given


WIDTH = 70
"""Characters of the line of progress."""


def _line() -> Callable[[Step], None]:
    def show(step: Step) -> None:
        left = "" if step.seconds_left is None else f", {step.seconds_left:.0f} s left"
        said = f"{step.stage}: split {step.done} of {step.total}{left}"
        print("\r" + said[:WIDTH].ljust(WIDTH), end="", file=sys.stderr, flush=True)

    return show
