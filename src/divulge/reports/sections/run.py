"""How it was run: data, design, seeds, versions, times, the policy's thresholds, and the spec as it was written."""

from __future__ import annotations

from divulge.reports.blocks import Block, Code, Fold, Grid, Line, Name, Section, Source

POLICY = {
    "delta": "A person is exposed above",
    "false_discoveries": "Exposed by chance, at most",
    "refuse_exposed": "Refused from so many exposed people",
    "refuse_exposed_share": "Refused above this share of exposed people",
    "release_risk": "Released up to a marginal risk of",
    "refuse_risk": "Refused above a marginal risk of",
    "widest_interval": "Widest interval that is released",
    "embedded": "Least share of figures reproduced",
    "fewest_at_extreme": "Fewest people at a released extreme",
    "smallest_group": "Smallest group that is described",
}


def run(source: Source) -> Section | None:
    rows: list[tuple[Line, Line]] = [
        (
            ("Data",),
            (source.name("data", "name"), ", " if source.get("data", "name") else "", source.whole("rows"), " rows"),
        ),
        (("Design",), (source.name("design", "kind"), ", ", source.whole("splits", "used"), " splits used")),
        (("Search",), (source.name("synthesiser", "kind"), ", start: ", source.name("synthesiser", "start"))),
        (("Seed",), (source.whole_plain("seed"),)),
        (("Time",), (source.decimals(1, "timings", "seconds"), " seconds")),
        (("Divulge",), (source.name("divulge"),)),
        (("Versions",), _versions(source)),
        (("Spec (SHA-256)",), (source.name("spec", "digest"),)),
        (("Data (SHA-256)",), (source.name("data", "digest"),)),
    ]
    if source.get("condensed"):
        about: Line = (source.whole("condensed", "people"), " people in ", source.whole("condensed", "different_rows"))
        rows.insert(1, (("Condensed",), (*about, _CONDENSED[source.get("condensed", "risk")])))
    if source.get("sampled"):
        rows.insert(1, (("Sample",), _sampled(source)))
    if source.get("row_by_row"):
        rows.insert(1, (("Row by row",), (source.name("row_by_row", "why"),)))
    failed = source.get("splits", "failed") or []
    if failed:
        rows.append((("Splits that failed",), (f"{len(failed)}: ", Name(failed[0]))))
    blocks: list[Block] = [Grid("The run", ("What", "How"), tuple(rows)), _policy(source)]
    if source.get("spec", "text"):
        blocks.append(Fold(("The spec",), (Code(source.get("spec", "text")),)))
    return Section("run", "How it was run", tuple(blocks))


_CONDENSED = {
    "exact": " different rows; nothing was searched for, and risk and exposure are exact",
    "expected": " different rows; nothing was searched for: risk and exposure rest on how many people of each "
    "combination an intruder expects from the counts",
}
"""How risk and exposure were worked out, by what the record says of it."""


def _sampled(source: Source) -> Line:
    """Who was searched for, and how precisely that tells of everybody."""
    return (
        source.whole("sampled", "drawn"),
        " people drawn of ",
        source.whole("sampled", "people"),
        ", and ",
        source.whole("sampled", "suspects"),
        " who may be exposed in the whole; by the choice of people a risk is known to ",
        source.decimals(3, "sampled", "precision"),
        " (",
        source.name("sampled", "why"),
        ")",
    )


def _versions(source: Source) -> Line:
    pieces: Line = ()
    for path in source.many("versions"):
        pieces += (", " if pieces else "", Name(path[-1]), " ", source.name(*path))
    return pieces


def _policy(source: Source) -> Block:
    rows = tuple(
        ((POLICY.get(str(p[-1]), str(p[-1]).replace("_", " ")),), (source.short(*p),))
        for p in source.many("policy")
        if isinstance(source.get(*p), int | float)
    )
    return Fold(("The policy",), (Grid("The policy's thresholds", ("Threshold", "Value"), rows, frozenset({1})),))
