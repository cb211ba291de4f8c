"""Attacks on printed figures, a few lines each, that anybody can run: no part of Divulge is in them.

Each is given the data frame, prints what the output prints, and says of how many people it gives something away: their
value exactly, or a number within ten per cent (the p % rule). 0: this attack gets nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Frame = pd.DataFrame
Attack = Callable[[Frame], int]

NEAR = 0.10
"""Within this share of its value a number is given away."""


def nobody(frame: Frame) -> int:
    """Large groups and few parameters: nothing follows about anybody."""
    del frame
    return 0


def alone(*variables: str, missing: bool = False) -> Attack:
    """A table: people in classes of one or two whose value is certain for whoever knows the other variables.

    missing: whether missing values are a category too; otherwise rows with any are not in the table.
    """

    def attack(frame: Frame) -> int:
        rows = frame[list(variables)].astype(object)
        rows = rows.fillna("missing") if missing else rows.dropna()
        given = 0
        for target in variables:
            keys = [v for v in variables if v != target]
            classes = rows.groupby(keys)[target].agg(["size", "nunique"])
            given += int(classes["size"][(classes["size"] < 3) & (classes["nunique"] == 1)].sum())
        return given

    return attack


def all_alike(by: str, value: str) -> Attack:
    """A table: everybody of a group has the same value, which one person in ten has elsewhere."""

    def attack(frame: Frame) -> int:
        shares = frame[value].value_counts(normalize=True)
        groups = frame.groupby(by)[value]
        return int(sum(len(g) for _, g in groups if g.nunique() == 1 and shares[g.iloc[0]] < 0.1))

    return attack


def of_few(value: str, *by: str, most: int = 2) -> Attack:
    """Means, medians, modes and the like: of one person the figure is their value, of two each knows the other's."""

    def attack(frame: Frame) -> int:
        sizes = frame.dropna(subset=[value, *by]).groupby(list(by)).size()
        return int(sizes[sizes <= most].sum())

    return attack


def dominated(value: str, by: str) -> Attack:
    """Totals: whoever has the second largest takes their own away, and what is left is nearly the largest."""

    def attack(frame: Frame) -> int:
        given = 0
        for _, group in frame.groupby(by)[value]:
            x = np.sort(group.dropna().to_numpy(float))[::-1]
            given += len(x) > 1 and abs(x.sum() - x[1] - x[0]) <= NEAR * x[0]
        return int(given)

    return attack


def concentrated(value: str, by: str) -> Attack:
    """Herfindahl's index H and the total T: T √H is nearly the largest contribution where that is most of it."""

    def attack(frame: Frame) -> int:
        given = 0
        for _, group in frame.groupby(by)[value]:
            x = group.dropna().to_numpy(float)
            total, index = x.sum(), round(float(((x / x.sum()) ** 2).sum()), 4)
            given += abs(total * np.sqrt(index) - x.max()) <= NEAR * x.max()
        return int(given)

    return attack


def mean_and_sd(value: str, by: str) -> Attack:
    """Mean m and standard deviation s of two people: they have m − s/√2 and m + s/√2."""

    def attack(frame: Frame) -> int:
        given = 0
        for _, group in frame.groupby(by)[value]:
            if len(x := group.dropna().to_numpy(float)) == 2:
                m, s = x.mean(), x.std(ddof=1)
                given += 2 * np.allclose(sorted(x), [m - s / np.sqrt(2), m + s / np.sqrt(2)])
        return int(given)

    return attack


def edge(value: str, by: str, share: float) -> Attack:
    """A quantile between the two largest, x and y: y + w (x − y). Whoever has the second solves for the largest."""

    def attack(frame: Frame) -> int:
        given = 0
        for _, group in frame.groupby(by)[value]:
            y = np.sort(group.dropna().to_numpy(float))
            w = share * (len(y) - 1) - (len(y) - 2)
            if len(y) > 1 and w > 0:
                largest = y[-2] + (np.quantile(y, share) - y[-2]) / w
                given += abs(largest - y[-1]) <= NEAR * y[-1]
        return int(given)

    return attack


def difference_of_means(value: str, where: str) -> Attack:
    """The means and numbers of all and of a part that leaves few out: n m − n' m' is what those few have in all."""

    def attack(frame: Frame) -> int:
        every, part = frame[value].dropna(), frame.query(where)[value].dropna()
        rest = len(every) * round(every.mean(), 2) - len(part) * round(part.mean(), 2)
        left_out = every.drop(part.index)
        return int(len(left_out) == 1 and abs(rest - left_out.iloc[0]) <= NEAR * abs(left_out.iloc[0]))

    return attack


def difference_of_copies(value: str, copy: str, slope: float = 1.0, origin: float = 0.0) -> Attack:
    """The totals of a variable and of its copy in other units, which one person has otherwise: the rest is theirs.

    What they have in the copy is no secret: a top code, 0, or nothing.
    """

    def attack(frame: Frame) -> int:
        own, other = frame[value], frame[copy].dropna()
        twin = (other - origin) / slope
        one = own[(own - twin.reindex(own.index)).abs().fillna(np.inf) > 1e-6]
        instead = twin.reindex(one.index).fillna(0).sum()
        total = (len(other) * round(other.mean(), 4) - origin * len(other)) / slope
        rest = len(own) * round(own.mean(), 4) - total + instead
        return int(len(one) == 1 and abs(rest - one.iloc[0]) <= NEAR * abs(one.iloc[0]))

    return attack


def difference_of_sums(made: str, where: str, **factors: int) -> Attack:
    """The totals of columns, each times its factor, make that of another column: the rest is that of whom it lacks."""

    def attack(frame: Frame) -> int:
        part, left_out = frame.query(where)[made], frame.query(f"not ({where})")[made]
        total = sum(k * len(frame) * round(frame[name].mean(), 4) for name, k in factors.items())
        rest = total - len(part) * round(part.mean(), 4)
        return int(len(left_out) == 1 and abs(rest - left_out.iloc[0]) <= NEAR * abs(left_out.iloc[0]))

    return attack


def rest_of_alike(value: str, capped: str, ratio: str) -> Attack:
    """The mean of capped / value is 1 but for one person: what it lacks of 1, times n, tells theirs."""

    def attack(frame: Frame) -> int:
        one = frame[frame[value] != frame[capped]]
        own, top = one[value].iloc[0], one[capped].iloc[0]
        turned = len(frame) * (round(frame[ratio].mean(), 6) - 1) + 1
        return int(len(one) == 1 and abs(top / turned - own) <= NEAR * own)

    return attack


def least_as_mode(value: str) -> Attack:
    """Where all values differ, the first of the equally frequent ones is the least: one person's."""

    def attack(frame: Frame) -> int:
        counts = frame[value].value_counts()
        return int(counts.max() == 1)

    return attack


def difference_of_regressions(response: str, predictors: list[str], where: str) -> Attack:
    """Coefficients of all (b) and of all but one (c): X'X b − X'X c, less what the one adds, is x (y − x'c)."""

    def attack(frame: Frame) -> int:
        part = frame.query(where)
        one = frame.drop(part.index)
        design = np.column_stack([np.ones(len(frame)), frame[predictors].to_numpy(float)])
        inside = frame.index.isin(part.index)
        b, c = (
            np.linalg.lstsq(design[m], frame[response].to_numpy(float)[m], rcond=None)[0].round(4)
            for m in (np.ones(len(frame), dtype=bool), inside)
        )
        x = design[~inside][0]
        y = x @ c + (design.T @ design @ (b - c))[0]
        return int(len(one) == 1 and abs(y - one[response].iloc[0]) <= NEAR * abs(one[response].iloc[0]))

    return attack


def taken_away(*variables: str, withheld: int) -> Attack:
    """A table with margins that withholds cells below a number: a row or column with one withheld gives it away."""

    def attack(frame: Frame) -> int:
        cells = pd.crosstab(frame[variables[0]], frame[variables[1]]).to_numpy()
        hidden = cells < withheld
        single = hidden & ((hidden.sum(0) == 1)[None, :] | (hidden.sum(1) == 1)[:, None])
        return int(cells[single].sum())

    return attack


def correlation_of_three(x: str, y: str, where: str) -> Attack:
    """Two of three people together know four of six numbers; with the third's x the correlation gives their y."""

    def attack(frame: Frame) -> int:
        few = frame.query(where)[[x, y]].to_numpy(float)
        if len(few) != 3:
            return 0
        printed = np.corrcoef(few.T)[0, 1]
        tries = np.linspace(frame[y].min(), frame[y].max(), 20_001)
        r = np.array([np.corrcoef(few[:, 0], [few[0, 1], few[1, 1], t])[0, 1] for t in tries])
        fits = tries[np.abs(r - printed) < 0.5e-4]
        return int(len(fits) > 0 and np.abs(fits - few[2, 1]).min() <= NEAR * abs(few[2, 1]))

    return attack


def few_degrees(n_parameters: int) -> Attack:
    """A regression with nearly as many parameters as rows: whoever knows all responses but p has p equations left."""
    return lambda frame: len(frame) if len(frame) < 2 * n_parameters else 0


def single_deaths(by: str, most: int = 2) -> Attack:
    """A survival curve at every time, of a group of one or two: each step is the time of one of them."""
    return lambda frame: int(frame.groupby(by).size().loc[lambda n: n <= most].sum())


def largest_of_few(value: str, fewest: int = 10) -> Attack:
    """A maximum that few people have is their value."""

    def attack(frame: Frame) -> int:
        n = int((frame[value] == frame[value].max()).sum())
        return n if n < fewest else 0

    return attack


def counted_with_one_more(x: str, y: str, where: str) -> Attack:
    """A table of all beside χ² of all but one: of the cells that the one may be in, those are left that give the χ²."""

    def attack(frame: Frame) -> int:
        counts = pd.crosstab(frame[x], frame[y])
        part = frame.query(where)
        printed = round(chi_squared(pd.crosstab(part[x], part[y]).to_numpy(float)), 4)
        (left_out,) = frame.drop(part.index)[x]
        fits = []
        for value in counts.columns:
            less = counts.copy()
            less.loc[left_out, value] -= 1
            fits += [value] * (round(chi_squared(less.to_numpy(float)), 4) == printed)
        return int(len(fits) == 1)

    return attack


def chi_squared(table: np.ndarray) -> float:
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def shares_beside_withheld(by: str, event: str, withheld: int) -> Attack:
    """A table that withholds cases below a number beside a model with a share for each group: share / (1 − share) × the
    others of the group is the withheld number."""

    def attack(frame: Frame) -> int:
        given = 0
        for _, group in frame.groupby(by)[event]:
            cases, others = int(group.sum()), int((1 - group).sum())
            log_odds = round(float(np.log(cases / others)), 4) if cases and others else np.inf
            if 0 < cases < withheld <= others:
                given += cases * (round(np.exp(log_odds) * others) == cases)
        return given

    return attack
