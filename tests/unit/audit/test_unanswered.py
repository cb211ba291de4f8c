"""Groups that follow from two tables because few people gave no answer: looked at, and not refused."""

from __future__ import annotations

from divulge.audit.report import Proved
from divulge.audit.run import Submission, audit
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.output import Output
from tests.support.tables import small_table

PEOPLE = small_table(
    SEX=["f", "m"] * 50,
    HAPPY=[None if k < 7 else "no" if k % 3 else "yes" for k in range(100)],
    LAST=[0] * 97 + [1, 2, 3],
)


def _found(*outputs: Output) -> tuple[Proved, ...]:
    released = tuple(o.publish(o.evaluate(PEOPLE), PEOPLE.schema) for o in outputs)
    return audit(Submission(PEOPLE.schema, outputs, released, PEOPLE.n_rows, PEOPLE)).findings


def test_sexes_of_few_without_an_answer_are_for_a_checker_and_how_many_they_are_is_a_note() -> None:
    found = _found(Crosstab(variables=("SEX",)), Crosstab(variables=("SEX", "HAPPY")))
    does = {label: f.severity.value for f in found for label in f.figures}
    assert does == {"HAPPY=missing & SEX=f": "review", "HAPPY=missing & SEX=m": "review", "HAPPY=missing": "note"}
    assert all("with a missing value" in f.sentence for f in found)


def test_few_whom_a_condition_leaves_out_are_refused() -> None:
    found = _found(Crosstab(variables=("SEX",)), Crosstab(variables=("SEX",), where="LAST = 0"))
    assert "refuse" in {f.severity.value for f in found}
    assert not any("missing" in f.sentence for f in found)
