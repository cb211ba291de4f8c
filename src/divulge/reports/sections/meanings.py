"""What the words and the measures of a report mean, in a sentence each; of measures those that the record explains."""

from __future__ import annotations

from divulge.reports.blocks import Name, Section, Source, Terms

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


def meanings(source: Source) -> Section | None:
    measures = tuple((Name(path[-1]).text, source.name(*path).text) for path in source.many("meanings"))
    blocks = (
        Terms((*WORDS, *measures)),
        ("The manual has the exact definition of every measure, with its source.",),
        (
            "What a release does not promise: that nothing can be learnt about anybody (statistics tell about people), "
            "that other outputs of the same data add nothing, or that an intruder knows only what the scenarios say.",
        ),
    )
    return Section("meanings", "What this means", blocks)
