"""What anonymeter 1.1.0 and SDMetrics 0.32.0 say of the same rows. Both were run on the tables made here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from divulge.measures import Measured, measure

KEYS = ["age", "pay", "area"]


def drawn(seed: int) -> pd.DataFrame:
    """300 people whose distances differ. All samples have one range, by which everybody scales."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(0, 1, 300)
    pay = (age + rng.uniform(0, 1, 300)) / 2
    area = rng.choice(["n", "s", "e"], 300, p=[0.5, 0.3, 0.2])
    ill = np.where(rng.random(300) < 0.2 + 0.6 * age, "yes", "no")
    frame = pd.DataFrame({"age": age, "pay": pay, "area": area, "ill": ill})
    frame.loc[0, ["age", "pay"]] = [0.0, 0.0]
    frame.loc[1, ["age", "pay"]] = [1.0, 1.0]
    return frame


PEOPLE, HELD, FRESH = (drawn(seed) for seed in (41, 42, 43))  # those that the peers were given
SYNTHETIC = pd.concat([PEOPLE.iloc[:100], FRESH.iloc[100:]], ignore_index=True)


def found(name: str, **settings: object) -> Measured:
    return measure(PEOPLE, SYNTHETIC, KEYS, "ill", holdout=HELD, measures=[name], settings={name: settings})


def test_inference_finds_the_people_whom_anonymeter_finds() -> None:
    ours = found("inference")
    assert (ours["inference"].numerator, ours.holdout["inference"][0].numerator) == (209, 157)


@pytest.mark.parametrize(("neighbours", "linked", "of_others"), [(1, 103, 4), (5, 128, 42)])
def test_linkability_links_the_people_whom_anonymeter_links(neighbours: int, linked: int, of_others: int) -> None:
    ours = found("linkability", first=("age", "area"), neighbours=neighbours)
    assert (ours["linkability"].numerator, ours.holdout["linkability"][0].numerator) == (linked, of_others)


def test_distances_and_overfitting_protection_are_those_of_sdmetrics() -> None:
    ours = found("distances")
    assert ours["DCR"].value == pytest.approx(0.010551572136728665)
    assert ours["DCR"].details["median"] == pytest.approx(0.008929334078214918)
    details = ours["DCR_share"].details
    assert details["DCROverfittingProtection"] == pytest.approx(0.6533333333333333)
    assert details["strict_share"] == pytest.approx(0.6733333333333333)


def test_cap_protection_is_that_of_sdmetrics() -> None:
    ours = measure(PEOPLE, SYNTHETIC, ["area"], "ill", measures=["DCAP_matched"])
    assert 1 - ours["DCAP_matched"].value == pytest.approx(0.4999768146959158)
