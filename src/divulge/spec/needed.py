"""Which columns of the data an assessment needs: those that outputs, scenarios, filters and rules speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from divulge.errors import unknown_variable
from divulge.outputs import Output
from divulge.scenario import place_of
from divulge.table import Schema
from divulge.table.conditions import names_in
from divulge.table.derive import dates_in

if TYPE_CHECKING:
    from divulge.spec.assessment import Assessment


def needed_columns(
    assessment: Assessment, schema: Schema | None, there: Sequence[str], *, derived: bool = False
) -> list[str]:
    """The columns that are needed, in the order of the data; an error where a name is no column.

    derived: whether the columns are those of the data with what is derived from them.
    """
    known = [*there, *assessment.derive]
    wanted: set[str] = set()
    for where, name in _named(assessment):
        if name not in known:
            raise unknown_variable(name, known, where=where)
        wanted.add(name)
    conditions = [o.where for o in _outputs(assessment) if o.where is not None]
    for text in (*conditions, *(schema.rules if schema is not None else ())):
        wanted.update(names_in(text, known))
    if not derived:
        wanted.update(dates_in(assessment.derive, there))
    # Outputs without any variable (how many people there are) still need somebody to count.
    return [name for name in there if name in wanted] or list(there[:1])


def can_condense(assessment: Assessment) -> bool:
    """Whether everything can be worked out from people who are alike held once, with how many they are."""
    has_units = any((assessment.entity, assessment.holding, assessment.waiver))
    return not has_units and assessment.holdout is None and all(output.condenses for output in _outputs(assessment))


def _outputs(assessment: Assessment) -> tuple[Output, ...]:
    return (*assessment.outputs, *assessment.earlier)


def _named(assessment: Assessment) -> Iterator[tuple[str, str]]:
    """Every variable that the assessment names, with the place where it does."""
    for part in ("outputs", "earlier"):
        for i, output in enumerate(getattr(assessment, part)):
            for name in (*output.own_variables(), *([output.weights] if output.weights else []), *output.coarser):
                field = output.field_of(name)
                yield f"{part}[{i}]" + (f".{field}" if field else ""), name
            if output.method is not None and output.method.key_variable is not None:
                yield f"{part}[{i}].method.keys", output.method.key_variable
    for i, scenario in enumerate(assessment.scenarios):
        for field, name in scenario.named:
            yield f"{place_of(i, assessment.scenarios)}.{field}", name
    for part in ("entity", "holding", "waiver"):
        if (name := getattr(assessment, part)) is not None:
            yield part, name
