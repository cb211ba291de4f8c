"""The intruder's scenario: what they know of a person, what they want to know, and what they know of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from divulge.errors import DivulgeError, MeasureError, unknown_variable
from divulge.scenario.knowledge import Knows
from divulge.settings import Range, Shorthand, check_settings

EVERY = "*"
"""In place of a name: every variable of the outputs. As a target: each of them in turn. As a key: all the others."""


_AS_SIZES = {
    "anyOf": [
        {"minimum": 1, "type": "integer"},
        {"pattern": r"^\s*[1-9]\d*\s*([-–]\s*[1-9]\d*\s*)?$", "type": "string"},
    ]
}


def _sizes(given: Any) -> Any:
    """`3-6` or `4` as the smallest and the largest number of keys; a list is as it is."""
    if isinstance(given, list | tuple):
        return given
    text = f"{given:g}" if isinstance(given, float) else str(given)
    low, dash, high = text.replace("–", "-").partition("-")
    sizes = [int(low), int(high if dash else low)]
    if sizes[0] > sizes[1]:
        raise ValueError
    return sizes


@dataclass(frozen=True)
class Scenario:
    """What the intruder knows of a person (`keys`), wants to know (`target`), and knows of the data (`knows`)."""

    keys: Annotated[tuple[str, ...], "The variables that the intruder knows of a person; all others if absent."] = (
        EVERY,
    )
    target: Annotated[str, "The variable that the intruder wants to know; each in turn if absent."] = EVERY
    key_sizes: Annotated[
        tuple[int, int] | None,
        "How many of the keys at a time, as in 3-6; all of them where absent.",
        Shorthand(_sizes, _AS_SIZES, "3-6"),
        Range(least=1),
    ] = None
    knows: Annotated[Knows, "What the intruder knows of the data besides the outputs."] = "marginals"

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def variables(self) -> tuple[str, ...]:
        """The keys, then the target."""
        return (*self.keys, self.target)

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The variables that the scenario names, each with its field; without those it leaves open."""
        every = (("target", self.target), *(("keys", key) for key in self.keys))
        return tuple((field, name) for field, name in every if name != EVERY)

    def unknown(self, names: Sequence[str], place: str) -> list[DivulgeError]:
        """An error for each variable that it names and that is not among these. place: of the scenario in the spec."""
        return [
            unknown_variable(name, names, where=f"{place}.{field}") for field, name in self.named if name not in names
        ]

    def describe(self) -> str:
        """In words: "SEX from AREAP and AGE"."""
        if not self.keys:
            return f"{self.target} without any key"
        *others, last = self.keys
        return f"{self.target} from {', '.join(others)}{' and ' if others else ''}{last}"

    def check(self, error: type[DivulgeError] = MeasureError, place: str = "", fewest_keys: int = 1) -> Scenario:
        """The scenario itself, or the error where it contradicts itself. place: what comes before the field's name."""
        start = f"{place}." if place else ""
        if len(self.keys) < fewest_keys:
            raise error("the intruder knows no key: at least one key is needed.", where=f"{start}keys")
        twice = sorted({k for k in self.keys if self.keys.count(k) > 1})
        if twice:
            raise error(f"{', '.join(map(repr, twice))} is named as a key more than once.", where=f"{start}keys")
        if self.target in self.keys and self.target != EVERY:
            raise error(
                f"{self.target!r} is both a key and the target: what the intruder knows already cannot be learnt.",
                where=f"{start}target",
                hint="Take it out of the keys, or choose another target.",
            )
        if self.key_sizes is not None and EVERY not in self.keys:
            low, high = self.key_sizes
            if not 1 <= low <= high <= len(self.keys):
                raise error(
                    f"key sizes {low}–{high} do not fit {len(self.keys)} keys.",
                    where=f"{start}key_sizes",
                    hint=f"Give a range within 1–{len(self.keys)}." if self.keys else "Name the keys.",
                )
        return self


def place_of(number: int, scenarios: Sequence[Scenario]) -> str:
    """Where one of the scenarios stands in the spec."""
    return f"scenario[{number}]" if len(scenarios) > 1 else "scenario"


def granted_by(scenarios: Iterable[Scenario]) -> Knows:
    """What a search is granted that serves several scenarios: the most that any of them grants."""
    words = {scenario.knows for scenario in scenarios}
    if "earlier outputs" in words:
        return "earlier outputs"
    return "nothing" if words == {"nothing"} else "marginals"
