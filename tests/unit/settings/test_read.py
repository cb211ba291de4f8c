"""Settings from plain data: what is wrong is refused with its path and its reason, all of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest

from divulge.errors import DivulgeError, OutputError, SpecError
from divulge.settings import Called, Choice, Entries, Kinds, OnlyIf, Range, Shorthand, check_settings, read_settings


@dataclass(frozen=True, kw_only=True)
class Engine:
    kind: ClassVar[str] = "engine"
    has_turbo: ClassVar[bool] = False

    power: Annotated[float, "How strong.", Range(above=0)]
    gears: Annotated[int, "How many.", Range(least=1, most=9)] = 5
    is_loud: Annotated[bool, "Whether it is heard."] = False
    fuel: Annotated[Literal["petrol", "diesel"] | None, "What it burns."] = None
    turbo: Annotated[str | None, "Which turbo.", OnlyIf("has_turbo")] = None

    def __post_init__(self) -> None:
        check_settings(self)
        if self.is_loud and self.gears == 1:
            raise OutputError("loud engines have gears.", where="gears")


@dataclass(frozen=True, kw_only=True)
class Sail:
    kind: ClassVar[str] = "sail"
    area: Annotated[float, "In square metres."] = 10.0


def _pair(value: Any) -> Any:
    return [int(p) for p in value.split("-")] if isinstance(value, str) else value


@dataclass(frozen=True, kw_only=True)
class Boat:
    name: Annotated[str, "What it is called."]
    crew_wanted: Annotated[tuple[str, ...], "Who sails.", Called("crew"), Entries(least=1, differ=True)] = ("Ada",)
    drives: Annotated[tuple[Annotated[Any, Kinds("drive", (Engine, Sail))], ...], "What moves it."] = ()
    spare: Annotated[Choice[Sail] | None, "Another.", Kinds("drive", (Engine, Sail), Sail)] = None
    digits: Annotated[int | tuple[int, ...] | None, "For all or for each.", Range(least=0, most=4)] = None
    hours: Annotated[tuple[int, int] | None, "From and to.", Shorthand(_pair, {"type": "string"}, "3-6")] = None
    log: Annotated[Mapping[str, float], "By day."] = field(default_factory=dict)
    chart: Annotated[Path | None, "A file."] = None
    harbour: Path | None = field(default=None, metadata={"spec": False})


def problems(document: dict[str, Any]) -> list[DivulgeError]:
    with pytest.raises(DivulgeError) as caught:
        read_settings(Boat, {"name": "Argo", **document})
    return list(caught.value.every)


def test_everything_arrives_as_its_type() -> None:
    found = read_settings(
        Boat,
        {
            "name": "Argo",
            "crew": "Jason",
            "drives": [{"kind": "engine", "power": 3}, {"kind": "sail"}],
            "spare": {"area": 4},
            "digits": [1, 2],
            "hours": "3-6",
            "log": {1: 5, "two": 6.5},
            "chart": "sea.png",
        },
    )
    assert found.crew_wanted == ("Jason",)
    assert found.drives == (Engine(power=3.0), Sail())
    assert isinstance(found.drives[0].power, float)
    assert found.spare == Choice(Sail, {"area": 4.0})
    assert (found.digits, found.hours) == ((1, 2), (3, 6))
    assert (found.log, found.chart) == ({"1": 5.0, "two": 6.5}, Path("sea.png"))


@pytest.mark.parametrize(
    ("document", "where", "said"),
    [
        ({"name": 5}, "name", 'a text is needed, 5 is given. Write "5"'),
        ({"name": True}, "name", "a text is needed, true is given"),
        ({"naem": "x"}, "naem", "there is no field 'naem'. Did you mean 'name'?"),
        ({"harbour": "x"}, "harbour", "there is no field"),
        ({"crew": ["a", "a"]}, "crew", "'a' is there twice"),
        ({"crew": []}, "crew", "at least one entry is needed, none is given"),
        ({"crew": ["a", 2]}, "crew[1]", "a text is needed"),
        ({"crew": {"a": 1}}, "crew", "a list is needed, a mapping is given"),
        ({"drives": [5]}, "drives[0]", "a mapping of names to values is needed, 5"),
        ({"drives": [{"power": 1}]}, "drives[0]", "the field 'kind' is missing. For example kind: engine."),
        ({"drives": [{"kind": "engin"}]}, "drives[0].kind", "there is no drive 'engin'. Did you mean 'engine'?"),
        ({"drives": [{"kind": ["engine"]}]}, "drives[0].kind", "there is no drive"),
        ({"drives": [{"kind": "engine"}]}, "drives[0].power", "this field is missing. "),
        ({"drives": [{"kind": "engine", "power": 0}]}, "drives[0].power", "a number above 0 is needed, 0 is given"),
        ({"drives": [{"kind": "engine", "power": "3"}]}, "drives[0].power", "Write 3, without quotation marks"),
        ({"drives": [{"kind": "engine", "power": float("nan")}]}, "drives[0].power", "infinite or undefined"),
        ({"drives": [{"kind": "engine", "power": 10**400}]}, "drives[0].power", "a number"),
        ({"drives": [{"kind": "engine", "power": 1, "gears": 2.5}]}, "drives[0].gears", "a whole number"),
        ({"drives": [{"kind": "engine", "power": 1, "gears": True}]}, "drives[0].gears", "a whole number"),
        ({"drives": [{"kind": "engine", "power": 1, "gears": 10}]}, "drives[0].gears", "from 1 to 9"),
        ({"drives": [{"kind": "engine", "power": 1, "is_loud": "no"}]}, "drives[0].is_loud", "given. Write false"),
        ({"drives": [{"kind": "engine", "power": 1, "is_loud": 1}]}, "drives[0].is_loud", "true or false is needed"),
        ({"drives": [{"kind": "engine", "power": 1, "fuel": "petrl"}]}, "drives[0].fuel", "Did you mean 'petrol'?"),
        ({"drives": [{"kind": "engine", "power": 1, "turbo": "T"}]}, "drives[0].turbo", "takes no 'turbo'"),
        ({"drives": [{"kind": "engine", "power": 1, "is_loud": True, "gears": 1}]}, "drives[0].gears", "have gears"),
        ({"spare": {"kind": "sail", "aera": 1}}, "spare.aera", "Did you mean 'area'?"),
        ({"spare": "sail"}, "spare", "a mapping"),
        ({"spare": {"kind": None}}, "spare", "the field 'kind' is missing"),
        ({"digits": 1.5}, "digits", "a whole number from 0 to 4 or a list is needed, 1.5"),
        ({"digits": [1, 5]}, "digits[1]", "from 0 to 4 is needed, 5"),
        ({"hours": "a-b"}, "hours", "cannot be read. Write for example 3-6."),
        ({"hours": [1]}, "hours", "2 entries are needed, 1"),
        ({"log": {"a": "b"}}, "log.a", "a number is needed"),
        ({"log": 3}, "log", "a mapping"),
    ],
)  # fmt: skip
def test_mistake_is_refused_with_its_path_and_reason(document: dict[str, Any], where: str, said: str) -> None:
    (found,) = problems(document)
    assert found.where == where
    assert said in str(found)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    found = problems({"crw": 1, "drives": [{"kind": "engine", "gears": 0}, {"kind": "x"}], "digits": [9, 1, 8]})
    places = ["crw", "drives[0].gears", "drives[0].power", "drives[1].kind", "digits[0]", "digits[2]"]
    assert [p.where for p in found] == places
    assert {type(p) for p in found} == {SpecError}
    shape = found[0].as_json()
    assert [e["where"] for e in shape["errors"]] == places  # type: ignore[index, attr-defined]
    assert shape["error"] == shape["errors"][0]  # type: ignore[index]


def test_what_is_no_mapping_is_refused() -> None:
    with pytest.raises(SpecError, match="the spec: a mapping of names to values is needed, 5 is given"):
        read_settings(Boat, 5)  # type: ignore[arg-type]


def test_what_python_makes_is_checked_alike() -> None:
    with pytest.raises(SpecError, match="gears: a whole number") as caught:
        Engine(power=-1.0, gears=2.5)  # type: ignore[arg-type]
    assert [e.where for e in caught.value.every] == ["power", "gears"]
    with pytest.raises(SpecError, match="takes no 'turbo'"):
        Engine(power=1.0, turbo="T")


def test_choice_takes_what_is_usual_where_nothing_was_given() -> None:
    assert Choice(Sail, {}).make(area=3.0) == Sail(area=3.0)
    assert Choice(Sail, {"area": 4.0}).make(area=3.0) == Sail(area=4.0)
