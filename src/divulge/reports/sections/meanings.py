"""What the words and the measures of a report mean, in a sentence each; only those that the record has."""

from __future__ import annotations

from divulge.reports.blocks import Section, Source, Terms

WORDS = (
    (
        "Exposure",
        "For one person: how much more often the intruder guesses right when that person is in the data than when not.",
    ),
    ("Marginal risk", "The mean exposure over all people: what is learnt because they were in the data."),
    ("In, out", "People who were in the part of the data that the output was computed from, and people who were not."),
    ("Baseline", "What guessing from public knowledge gets right."),
    ("95 % interval", "Of the mean over splits: where it would lie after many more splits, 95 times in 100."),
)

MEASURES = {
    "TCAP": "Among people whose keys point to one single target value in the synthetic data: how often it is theirs.",
    "TCAP_record": "The same, seen from the synthetic people: how often real people with their keys share the target.",
    "TCAP_zero": "As TCAP, with everybody counted whose keys point to nothing certain: as not inferred.",
    "DCAP": "Mean share of synthetic people with the same keys who have the true target; no match counts as zero.",
    "DCAP_matched": "As DCAP, over the people whose keys are found.",
    "CAPd": "The same within the original data: what the data themselves would give away.",
    "DiSCO": "Share of people whose keys point to one single target value in the synthetic data, and the right one.",
    "DiS": "Share of people whose keys point to one single target value in the synthetic data, right or wrong.",
    "repU": "Share of people who are the only ones with their keys, in the original and in the synthetic data alike.",
    "iS": "Share of people whose keys occur in the synthetic data.",
    "RAPID": "Share of people about whom a model trained on the synthetic data is much surer than chance, and right.",
}


def meanings(source: Source) -> Section | None:
    found = {str(p[-1]) for risk in source.many("risk") for p in source.many(*risk, "measures")}
    pairs = (*WORDS, *((name, says) for name, says in MEASURES.items() if name in found))
    blocks = (
        Terms(pairs),
        ("The manual has the exact definition of every measure, with its source.",),
        (
            "What a release does not promise: that nothing can be learnt about anybody (statistics tell about people), "
            "that other outputs of the same data add nothing, or that an intruder knows only what the scenarios say.",
        ),
    )
    return Section("meanings", "What this means", blocks)
