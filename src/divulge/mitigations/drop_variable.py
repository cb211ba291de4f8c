"""Drop a variable: a table with one dimension less, groups by one variable less, a model without its terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from divulge.errors import DivulgeError, OutputError
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class DropVariable(Mitigation):
    """Leave a variable out: of the dimensions of a table, of the groups, or of a formula with all its terms."""

    name: ClassVar[str] = "drop-variable"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = "Everything that the output says of the variable is lost."
    reading: ClassVar[str] = "As what it is: an output without the variable."

    variable: Annotated[str, "Which one."]

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        for name in trouble.free_variables:
            found = cls(variable=name)
            try:
                found.apply(trouble.output, trouble.schema).check(trouble.schema)
            except DivulgeError:
                continue
            yield found

    def apply(self, output: Output, schema: Schema) -> Output:
        fields: dict[str, Any] = vars(output.written)
        coarser = {name: step for name, step in output.coarser.items() if name != self.variable}
        usual: dict[str, Any] = {"coarser": coarser, "suppressed": ()}
        if isinstance(fields.get("decimals"), tuple):
            usual["decimals"] = max(fields["decimals"])
        for field in ("by", "variables"):
            held = fields.get(field) or ()
            if held == self.variable:
                return computed_again(output, **usual, **{field: None})
            if not isinstance(held, str) and self.variable in held and (field == "by" or len(held) > 1):
                return computed_again(output, **usual, **{field: tuple(n for n in held if n != self.variable)})
        if fields.get("formula") is not None:
            return computed_again(output, **usual, formula=_without(fields["formula"], self.variable))
        raise OutputError(f"the output is nothing without {self.variable!r}.", where="variables")

    def loses(self, schema: Schema) -> tuple[str, ...]:
        del schema
        return (self.variable,)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Leave {self.variable} out"


def _without(formula: str, variable: str) -> str:
    """The formula without the terms that speak of a variable."""
    left, _, right = formula.partition("~")
    named = re.compile(rf"(?<![\w.]){re.escape(variable)}(?![\w.])")
    terms = _terms(right)
    kept = [term for term in terms if not named.search(term)]
    if named.search(left) or not kept or len(kept) == len(terms):
        raise OutputError(f"the model is nothing without {variable!r}.", where="formula")
    return f"{left.strip()} ~ {' + '.join(kept)}"


def _terms(right: str) -> list[str]:
    """What stands between the plus signs, brackets kept together."""
    found, depth = [""], 0
    for character in right:
        depth += (character == "(") - (character == ")")
        if character == "+" and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [term.strip() for term in found if term.strip()]
