"""From evidence to a verdict: release, review or refuse, each with its reasons in plain words.

A policy is a handful of thresholds. The reason for each default stands beside it; a custodian's file may change all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple

from divulge.errors import SpecError
from divulge.settings import Range, check_settings, read_settings

_INSIDE = Range(above=0, below=1)
_SHARE = Range(least=0, most=1)
_PEOPLE = Range(least=1)


class Verdict(StrEnum):
    """What to do with an output, from the least to the most restrictive."""

    RELEASE = "release"
    REVIEW = "review"
    REFUSE = "refuse"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)


Preset = Literal["public use", "scientific use", "safe lab"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "public use": {
        "delta": 0.05,
        "release_risk": 0.01,
        "refuse_risk": 0.02,
        "widest_interval": 0.01,
        "fewest_at_extreme": 20,
        "smallest_group": 20,
    },
    "scientific use": {},
    "safe lab": {
        "delta": 0.2,
        "certain_class": 2,
        "release_risk": 0.05,
        "refuse_risk": 0.1,
        "widest_interval": 0.05,
        "fewest_at_extreme": 5,
        "smallest_group": 5,
    },
}
"""What a person in a cell of twenty, of ten (as usual) and of five gives away: the thresholds that settings have for
tables that anybody may read, for those that researchers take home, and for those that stay with accredited people."""


def with_preset(document: Any) -> Any:
    """Thresholds as they are written, with those of the preset for all that are not given; `public use` by itself too.

    Anything else is left as it is.
    """
    if isinstance(document, str) and document in PRESETS:
        document = {"preset": document}
    preset = document.get("preset") if isinstance(document, Mapping) else None
    return {**PRESETS[preset], **document} if isinstance(preset, str) and preset in PRESETS else document


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The thresholds of a verdict."""

    delta: Annotated[
        float,
        "A person is exposed where being in the data raises the chance of a right guess by more than this, beyond "
        "chance. 0.1: about what a cell of ten people gives each of them, the smallest that most settings release.",
        _INSIDE,
    ] = 0.1
    false_discoveries: Annotated[
        float, "The share of those called exposed that may be so by chance. 0.05: as for any other test.", _INSIDE
    ] = 0.05
    certain_class: Annotated[
        int,
        "A value that an output makes certain for people in a class of fewer than this is exposure, however likely it "
        "was before. 3: in a class of two each knows the other's value. 2: only for people who are alone.",
        _PEOPLE,
    ] = 3
    power: Annotated[
        float,
        "Released only where somebody exposed by twice `delta` would have been found with this probability. 0.9: as "
        "studies are planned for.",
        _INSIDE,
    ] = 0.9
    refuse_exposed: Annotated[
        int, "So many exposed people are refused. 1: an average must not outvote a person.", _PEOPLE
    ] = 1
    refuse_exposed_share: Annotated[
        float, "So large a share of exposed people is refused, however many `refuse_exposed` allows.", _SHARE
    ] = 0.001
    release_risk: Annotated[
        float,
        "Released only where the upper bound of the marginal risk (mean exposure) is at most this. 0.02: as if "
        "everybody stood in a cell of fifty.",
        _INSIDE,
    ] = 0.02
    refuse_risk: Annotated[
        float,
        "Refused where even the lower bound of the marginal risk is above this. 0.05: as in cells of twenty.",
        _INSIDE,
    ] = 0.05
    widest_interval: Annotated[
        float,
        "Released only where the interval of the marginal risk is at most this wide. 0.02: as `release_risk`.",
        _INSIDE,
    ] = 0.02
    embedded: Annotated[
        float,
        "Released only where at least this share of the released figures was reproduced, as printed or (estimates) "
        "within a twentieth of their standard error. 0.95: what was not reproduced was not put to the test.",
        _SHARE,
    ] = 0.95
    each_figure: Annotated[
        float,
        "Released only where every figure was reproduced in at least this share of the splits. 0.8: the one figure "
        "that is hard to reproduce may be the one that gives somebody away.",
        _SHARE,
    ] = 0.8
    fewest_at_extreme: Annotated[
        int,
        "A maximum or minimum that fewer people have gives their value away. 10: as for a cell of a table.",
        _PEOPLE,
    ] = 10
    smallest_group: Annotated[
        int,
        "Groups of exposed people are described only where so many are in them. 10: as for any released table.",
        _PEOPLE,
    ] = 10
    # What numbers were taken from, and which rules are asked, is no threshold of the verdict.
    profile: Annotated[str | None, "The profile of rules of output checking: its name, or a file."] = field(
        default=None, metadata={"recorded": False}
    )

    preset: Annotated[
        Preset | None,
        "Thresholds to start from: public use (anybody may read it), scientific use (as usual), safe lab (read by "
        "accredited researchers alone). Thresholds that are given beside it prevail.",
    ] = field(default=None, metadata={"recorded": False})

    def __post_init__(self) -> None:
        check_settings(self)
        if self.profile is not None:
            from divulge.checking import check_profile  # imported where it is used: with it come all rules

            check_profile(self.profile)
        if self.refuse_risk < self.release_risk:
            raise SpecError(
                "refuse_risk is below release_risk.",
                where="refuse_risk",
                hint=f"Write refuse_risk: {self.release_risk:g}.",
            )

    def decide(self, evidence: Evidence) -> Decision:
        """The verdict of a policy on evidence: the most restrictive that any reason asks for."""
        e = evidence
        parts = (_about_figures(e), _about_people(self, e), _about_risks(self, e), _about_search(self, e))
        reasons = [reason for part in parts for reason in part]
        refuse = [r.sentence for r in reasons if r.is_refusal]
        review = [r for r in reasons if not r.is_refusal]
        if refuse:
            return Decision(Verdict.REFUSE, (*refuse, *(r.sentence for r in review)))
        if review:
            said = dict.fromkeys(r.settle for r in review)
            # What begins another is said with it.
            settle = tuple(s for s in said if not any(o != s and o.startswith(s) for o in said))
            return Decision(Verdict.REVIEW, tuple(r.sentence for r in review), settle)
        highest = max((high for *_, high in e.risks), default=0.0)
        return Decision(
            Verdict.RELEASE,
            (
                f"Nobody of {e.n_rows:,} is exposed by more than {self.delta:g}.",
                f"The marginal risk is at most {highest:.4f} (upper bound), below {self.release_risk:g}.",
                f"The synthetic data reproduce {e.reproduced:.0%} of the released figures as printed"
                + (f", and {e.near:.0%} within a twentieth of a standard error." if e.near > e.reproduced else "."),
                _power_sentence(e.power, self.delta),
            ),
        )


def make_policy(document: Mapping[str, Any] | None) -> Policy:
    """A policy from plain data; what it does not say is as usual."""
    return read_settings(Policy, with_preset(document or {}), "policy")


@dataclass(frozen=True)
class Breach:
    """What a rule or arithmetic has against outputs. does: note, review or refuse; settle: what would make it right.

    n_people: whose values are given away; None: not counted.
    """

    sentence: str
    does: str
    n_people: int | None = None
    settle: str = ""


_SILENT = 0.8
"""Share of splits without a figure above which an output was hardly put to the test. One person without whom nothing
can be computed is missing in half of them."""

_NAMED = 5  # figures that a reason names; divulge compute has all


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    risks: (scenario in words, value, low, high of the marginal risk) of each scenario.
    reproduced: the share of released figures that the synthetic data reproduce as printed, least over outputs.
    near: the share that they reproduce as printed or near enough to put it to the test.
    in_splits: the same as `near` over the splits.
    worst_in_splits: of the figures the one least often reproduced, as a share of the splits that gave it.
    power: the probability with which somebody exposed by twice δ would have been found.
    needs_all: whether an output cannot be computed from half of the rows, because these are too few.
    is_made: whether what is released can be made from parts of the people; otherwise nobody's exposure is known.
    fewest_rows: how many people it takes to compare those in the data with those outside it.
    n_certain: of the exposed those whose value is certain in a class of fewer than `certain_class`.
    n_silent: in how many splits an output had no figure at all because of who was in.
    disagrees: released figures that the data do not give; wrong: their names.
    breaches: what rules and arithmetic have against the outputs, without any search.
    """

    n_rows: int
    risks: tuple[tuple[str, float, float, float], ...]
    n_exposed: int
    reproduced: float
    near: float
    in_splits: float
    worst_in_splits: float
    n_splits: int
    n_failed: int
    power: float
    has_contrast: bool = True
    fewest_rows: int = 0
    needs_all: bool = False
    is_made: bool = True
    n_certain: int = 0
    n_silent: int = 0
    disagrees: int = 0
    wrong: tuple[str, ...] = ()
    breaches: tuple[Breach, ...] = ()


@dataclass(frozen=True)
class Decision:
    """A verdict, why, and what would settle a review."""

    verdict: Verdict
    reasons: tuple[str, ...]
    settle: tuple[str, ...] = ()


def _not_given(n: int, wrong: tuple[str, ...]) -> str:
    """Which released figures the data do not give."""
    named = f": {', '.join(wrong[:_NAMED])}" + (f" and {n - _NAMED:,} more" if n > _NAMED else "") if wrong else ""
    return f"{n:,} released {'figure is' if n == 1 else 'figures are'} not what the data give{named}."


def _power_sentence(power: float, delta: float) -> str:
    """How surely the assessment would have found somebody."""
    return (
        f"Had anybody been exposed by {2 * delta:g}, this assessment would have found them with a probability of "
        f"{power:.2f}."
    )


_MORE_SPLITS = "More splits tell more (design: {splits: 100})."


class _Reason(NamedTuple):
    """Why an output is not released. settle: what would settle a review."""

    is_refusal: bool
    sentence: str
    settle: str = ""


def _about_figures(e: Evidence) -> Iterator[_Reason]:
    """First: what follows is about figures that nobody computed from these data."""
    if e.disagrees:
        settle = "See divulge compute: which figures, and what the data give instead."
        yield _Reason(False, _not_given(e.disagrees, e.wrong), settle)


def _about_people(policy: Policy, e: Evidence) -> Iterator[_Reason]:
    """Who is exposed, and what rules and arithmetic found."""
    if e.n_exposed >= policy.refuse_exposed or e.n_exposed > policy.refuse_exposed_share * e.n_rows:
        people = "person is" if e.n_exposed == 1 else "people are"
        raised = "that they are in the data raises the chance of guessing something about them by more than "
        raised += f"{policy.delta:g}"
        whose = "a value of theirs is made certain"
        if e.n_certain < e.n_exposed:
            whose = f"a value is made certain for {e.n_certain:,} of them"
        certain = f"{whose}, in classes of fewer than {policy.certain_class}"
        why = [raised] * (e.n_exposed > e.n_certain) + [certain] * (e.n_certain > 0)
        yield _Reason(True, f"{e.n_exposed:,} {people} exposed: {', or '.join(why)}.")
    for breach in (b for b in e.breaches if b.does != "note"):
        # So few people that the policy lets them be exposed are no reason to refuse; a rule about nobody's value is.
        is_few = breach.n_people is not None and 0 < breach.n_people < policy.refuse_exposed
        yield _Reason(breach.does == "refuse" and not is_few, breach.sentence, breach.settle)


def _about_risks(policy: Policy, e: Evidence) -> Iterator[_Reason]:
    """The marginal risk of each scenario, and how well it is known."""
    for scenario, value, low, high in e.risks:
        if isfinite(low) and low > policy.refuse_risk:
            said = f"The marginal risk of {scenario} is {value:.4f}; even its lower bound {low:.4f} is above "
            yield _Reason(True, f"{said}{policy.refuse_risk:g}.")
        elif isfinite(high) and high > policy.release_risk:
            said = f"The marginal risk of {scenario} may be as high as {high:.4f}, above {policy.release_risk:g}."
            yield _Reason(False, said, f"{_MORE_SPLITS} Coarser categories make the risk smaller.")
    if e.needs_all:
        said = "Half of the rows are too few to compute an output: it has more than half as many parameters as there "
        yield _Reason(True, f"{said}are rows, and is nearly the rows themselves.")
    wide = [s for s, _, low, high in e.risks if not isfinite(high - low) or high - low > policy.widest_interval]
    if not e.is_made:
        said = "What made the rows is not known. Averages can be compared, but nobody's exposure could be tested."
        yield _Reason(False, said, "Name the generator, or the command that makes the rows.")
    if not e.has_contrast:
        yield _without_contrast(e)
    elif wide:
        said = f"The interval of the marginal risk is wider than {policy.widest_interval:g} for {wide[0]}"
        said += f" and {len(wide) - 1} more." if len(wide) > 1 else "."
        yield _Reason(False, said, _MORE_SPLITS)


def _without_contrast(e: Evidence) -> _Reason:
    """Why nobody was compared with anybody."""
    if e.n_rows < e.fewest_rows:
        said = f"{e.n_rows:,} people are too few to compare people in the data with people outside it: it takes "
        settle = "Judge the output by hand, or release figures of more people. Rules and arithmetic were asked."
        return _Reason(False, f"{said}{e.fewest_rows:,}. So what is disclosed is not known.", settle)
    said = "People in the data were not compared with people outside it, so what is disclosed is not known."
    made = "Use the design repeated-halves; if that was used, give it more time (synthesiser: {seconds: 10})."
    return _Reason(False, said, made if e.is_made else "Name a holdout: people who were not in the data.")


def _about_search(policy: Policy, e: Evidence) -> Iterator[_Reason]:
    """What was put to the test, and how surely it would have shown somebody."""
    if e.near < policy.embedded:
        yield _Reason(
            False,
            f"Only {e.near:.0%} of the released figures could be reproduced in synthetic data, so what the "
            "others give away was not put to the test.",
            "A longer search (synthesiser: {seconds: 10}), or a check that the figures do not contradict each other.",
        )
    elif e.worst_in_splits < policy.each_figure:
        yield _Reason(
            False,
            f"One figure could be reproduced in only {e.worst_in_splits:.0%} of the splits: what it gives away was "
            "hardly put to the test.",
            "A longer search in the splits (synthesiser: {seconds: 10}).",
        )
    elif e.in_splits < policy.embedded:
        yield _Reason(
            False,
            f"In the splits only {e.in_splits:.0%} of the figures could be reproduced, so the contrast is understated.",
            "A longer search in the splits (synthesiser: {seconds: 10}).",
        )
    if e.n_failed:
        said = f"In {e.n_failed} of {e.n_splits + e.n_failed} splits an output could not be computed."
        yield _Reason(False, said, "Coarser categories, so that no level vanishes in half of the data.")
    if e.n_silent > _SILENT * e.n_splits:
        said = f"In {e.n_silent} of {e.n_splits} splits an output had no figure, so it was hardly put to the test."
        yield _Reason(False, said, "Coarser categories, so that no level vanishes in half of the data.")
    if e.has_contrast and e.is_made and e.power < policy.power:
        so = "others may be exposed too" if e.n_exposed else "nobody found says little"
        said = f"{_power_sentence(e.power, policy.delta)} That is below {policy.power:g}, so {so}."
        yield _Reason(False, said, _MORE_SPLITS)
