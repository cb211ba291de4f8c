"""What the audit calls groups of people: never by a value that may be one person's."""

import numpy as np

from divulge.audit.classes import class_labels
from divulge.table import Variable


def test_classes_of_a_number_with_many_values_tell_none_of_them() -> None:
    incomes = np.arange(1_000, 1_100) * 7 + 3
    classes = np.repeat([1, 0, 2], [30, 30, 40])
    labels = class_labels(Variable("income", "numeric", incomes), classes)
    assert labels == [
        "income in part 2 of 3, from low to high",
        "income in part 1 of 3, from low to high",
        "income in part 3 of 3, from low to high",
    ]


def test_classes_of_a_number_with_few_values_are_named_by_them() -> None:
    assert class_labels(Variable("children", "numeric", np.arange(5)), np.array([0, 0, 0, 1, 1])) == [
        "children=0…2",
        "children=3, 4",
    ]
