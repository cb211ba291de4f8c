"""A schema: the variables of a table, in order, and the edit rules that hold in every row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from divulge.errors import SchemaError, unknown_variable
from divulge.table.conditions import EditRule
from divulge.table.variable import Variable


@dataclass(frozen=True)
class Schema:
    """Variables in column order, and edit rules as they were written (`AGE < 16 -> MSTATUS = Single`)."""

    variables: tuple[Variable, ...]
    rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "rules", tuple(self.rules))
        names = [v.name for v in self.variables]
        twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) != len(names) else []
        if twice:
            raise SchemaError(f"the schema names {', '.join(map(repr, twice))} more than once.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __contains__(self, name: object) -> bool:
        return any(v.name == name for v in self.variables)

    def __getitem__(self, name: str) -> Variable:
        return self.variables[self.position(name)]

    def position(self, name: str) -> int:
        """The column number of a variable; an error with the nearest name where there is none."""
        for i, variable in enumerate(self.variables):
            if variable.name == name:
                return i
        raise unknown_variable(name, self.names)

    def select(self, names: Iterable[str]) -> Schema:
        """Some variables in the order asked for, with the rules that speak of these alone."""
        chosen = tuple(self[n] for n in names)
        kept = {v.name for v in chosen}
        rules = tuple(r for r in self.rules if set(EditRule.parse(r, self).variables) <= kept)
        return Schema(chosen, rules)

    def with_variable(self, variable: Variable) -> Schema:
        """The same schema with one variable replaced, by name."""
        at = self.position(variable.name)
        return replace(self, variables=(*self.variables[:at], variable, *self.variables[at + 1 :]))

    def parsed_rules(self) -> tuple[EditRule, ...]:
        """The edit rules, ready to be checked."""
        return tuple(EditRule.parse(text, self) for text in self.rules)

    def check_closed(self) -> None:
        """Raise where a variable's possible values are not known, which synthesis without data needs."""
        open_ones = [v.name for v in self.variables if v.is_open]
        if open_ones:
            raise SchemaError(
                f"the schema does not list the possible values of {', '.join(map(repr, open_ones))}.",
                hint="Give categories, or minimum and maximum (and step) in constraints, or an enum.",
            )
