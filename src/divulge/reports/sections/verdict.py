"""The verdict at a glance: the word, why, what to do, and the four figures that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.reports.blocks import Line, Name, Source

SAYS = {
    "release": "May be released as it is.",
    "review": "Somebody has to look at this before it is released.",
    "refuse": "Should not be released as it is.",
}
"""The verdict as a sentence."""

ADVICE = {
    "release": (
        "Release it. The verdict speaks of this output and these scenarios: what else was released about the same "
        "people, and what an intruder knows beyond the scenarios, are not in it.",
    ),
    "review": ("Read the reasons and the sections below, and settle what can be settled.",),
    "refuse": (
        "Ask for a version that gives less away: coarser categories, small cells left out or rounded, extremes and "
        "rare groups dropped. divulge mitigate looks for the smallest such change.",
        "Assess the new version, and put it beside this one with divulge compare.",
    ),
}
"""What to do where the record does not say it better."""

WITH_EARLIER = (
    "Release it. The verdict speaks of this output, of what is known to be out already, and of these scenarios: what "
    "an intruder knows beyond them is not in it."
)
"""The same where earlier releases were taken into account."""


_BLAMED = 3  # outputs whose blame the top of a report tells
_NAMED = 5  # figures that the top of a report names
_LONGEST = 90  # characters of a description that stand for a name


@dataclass(frozen=True)
class _Tile:
    """One figure that a verdict rests on: what it is, the figure, and what it is compared with."""

    label: str
    figure: Line
    note: Line


@dataclass(frozen=True)
class _Summary:
    """What is seen at one glance."""

    verdict: str
    sentence: str
    subject: Line
    reasons: tuple[Line, ...]
    advice: tuple[Line, ...]
    tiles: tuple[_Tile, ...]
    about: Line = ()
    """The figures that the verdict is about."""
    reconciled: Line = ()
    """Why a small average and an exposed person are both true; nothing where there is nothing to reconcile."""


def summary(source: Source) -> _Summary:
    """The top of every report."""
    verdict = str(source.get("verdict"))
    said = source.get("settle") or []
    advice: tuple[Line, ...] = tuple((Name(step),) for step in said)
    if verdict == "refuse" or not advice:
        usual = (WITH_EARLIER,) if verdict == "release" and source.get("cumulative") else ADVICE.get(verdict, ())
        advice += tuple((step,) for step in usual)
    return _Summary(
        verdict,
        SAYS.get(verdict, ""),
        _subject(source),
        tuple((Name(reason),) for reason in source.get("reasons") or ()),
        advice,
        _tiles(source),
        _about(source),
        _reconciled(source),
    )


def _about(source: Source) -> Line:
    """The figures that the verdict is about: those that rules and arithmetic name, else how many there are."""
    outputs = source.many("outputs")
    blamed = [p for p in outputs if source.get(*p, "blame", "sentence")]
    if blamed and source.get("verdict") != "release":
        lines = tuple(
            piece
            for p in blamed[:_BLAMED]
            for piece in (*_which(source, p, outputs), source.name(*p, "blame", "sentence"), " ")
        )
        return ("What gives people away: ", *lines[:-1])
    named: dict[str, None] = {}
    for place in [*source.many("audit", "findings"), *source.many("rules", "findings")]:
        if source.get(*place, "severity") != "note":
            named.update(dict.fromkeys(str(f) for f in source.get(*place, "figures") or ()))
    if named and source.get("verdict") != "release":
        shown = list(named)
        more = f" and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
        names: Line = tuple(piece for label in shown[:_NAMED] for piece in ("; ", Name(label)))[1:]
        return ("The figures that it is about: ", *names, more, ".")
    if not outputs:
        return ()
    others = f", and those of {len(outputs) - 1} more outputs" if len(outputs) > 1 else ""
    noun = "figure" if source.get(*outputs[0], "figures") == 1 else "figures"
    return ("It is about ", source.whole(*outputs[0], "figures"), f" {noun}{others}.")


def _which(source: Source, path: tuple[str | int, ...], outputs: list[tuple[str | int, ...]]) -> Line:
    """Which output a sentence is about, where there are several."""
    return (output_name(source, path), ": ") if len(outputs) > 1 else ()


def _reconciled(source: Source) -> Line:
    """A small average hides an exposed person: both are true, and the verdict goes by the person."""
    worst = highest_risk(source)
    exposed, limit = source.get("exposure", "exposed"), source.get("policy", "release_risk")
    if worst is None or not exposed or limit is None:
        return ()
    if (source.get(*worst, "marginal_risk", "interval", 1) or 0.0) > limit:
        return ()
    return (
        "The average risk is small because it is an average over ",
        source.whole("rows"),
        " people, most of whom nothing is learnt about. It hides the ",
        *(("one person who is",) if exposed == 1 else (source.whole("exposure", "exposed"), " who are")),
        " exposed, and the verdict goes by them.",
    )


def _subject(source: Source) -> Line:
    names: list[Line] = [(output_name(source, path),) for path in source.many("outputs")]
    shown: Line = tuple(piece for name in names[:3] for piece in (", ", *name))[1:]
    more = len(names) - 3
    return (*shown, f" and {more} more" if more > 0 else "")


def exposed_people(source: Source, *path: str | int) -> Line:
    """How many are exposed; a dash where nobody was found and nobody would have been, since a 0 would say that nobody
    is."""
    is_known = bool(source.get(*path, "exposed")) or source.get(*path, "verdict") == "release" or would_be_found(source)
    return (source.whole(*path, "exposed"),) if is_known else ("–",)


def would_be_found(source: Source) -> bool:
    """Whether the assessment would have found somebody who is exposed, as surely as the policy asks."""
    power, asked = source.get("exposure", "power"), source.get("policy", "power")
    is_weak = power is not None and asked is not None and power < asked
    return source.get("exposure", "tested") is not False and not is_weak


def output_name(source: Source, path: tuple[str | int, ...]) -> Name:
    """What an output is called; what it is where nobody named it, and its number where there are several."""
    number = f"Output {source.get(*path, 'number')}"
    described = str(source.get(*path, "description") or number).removesuffix(".")
    shown = described if len(described) <= _LONGEST else f"{described[: _LONGEST - 1]}…"
    if shown != number and len(source.many("outputs")) > 1:
        shown = f"{number} ({shown})"
    return Name(source.get(*path, "name") or shown)


def precision(source: Source, path: tuple[str | int, ...]) -> Name:
    """At what precision the figures of an output were printed, in words."""
    said = str(source.get(*path, "precision"))
    return Name("as whole numbers" if said == "0 decimals" else f"at {said}")


def _tiles(source: Source) -> tuple[_Tile, ...]:
    exposed = exposed_people(source, "exposure")
    below: Line = ("not tested enough to say",) if exposed == ("–",) else ("of ", source.whole("rows"), " in the data")
    tiles = [_Tile("Exposed people", exposed, below)]
    worst = highest_risk(source)
    if worst is not None:
        risk = (*worst, "marginal_risk")
        tiles.append(
            _Tile(
                "Marginal risk, at most",
                (source.four(*risk, "interval", 1),),
                ("released up to ", source.short("policy", "release_risk")),
            )
        )
    shares = [(source.get(*p, "reproduced") / max(source.get(*p, "figures"), 1), p) for p in source.many("outputs")]
    if shares:
        path = min(shares, key=lambda s: s[0])[1]
        tiles.append(
            _Tile(
                "Figures reproduced",
                (source.whole(*path, "reproduced"),),
                (
                    "of ",
                    source.whole(*path, "figures"),
                    ", ",
                    precision(source, path),
                    ", the worst output" if len(shares) > 1 else "",
                ),
            )
        )
    tiles.append(_Tile("Splits of the data", (source.whole("splits", "used"),), ("in and out compared on each",)))
    return tuple(tiles)


def highest_risk(source: Source) -> tuple[str | int, ...] | None:
    """The scenario whose marginal risk has the highest upper bound."""
    bounds = [(source.get(*p, "marginal_risk", "interval", 1), p) for p in source.many("risk")]
    known = [(b, p) for b, p in bounds if b is not None]
    return max(known, key=lambda k: k[0])[1] if known else None
