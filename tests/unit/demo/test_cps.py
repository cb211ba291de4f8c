"""The extract of the Current Population Surveys that the package ships."""

from __future__ import annotations

from divulge.demo import DEMOS
from divulge.demo.cps import attribution, cps_extract


def test_extract_has_its_size_and_one_byte_for_most_cells() -> None:
    table = cps_extract()
    assert (len(table), len(table.schema)) == (50_000, 16)
    # 704 wages need two bytes; the other 15 variables need one.
    assert table.n_bytes == 50_000 * 17


def test_extract_keeps_not_in_universe_as_an_answer() -> None:
    table = cps_extract()
    assert not any(variable.missing for variable in table.schema)
    assert table.schema["hispanic_origin"].code("NA") is not None
    assert table.frequencies("class_of_worker")[table.schema["class_of_worker"].code("Not in universe")] > 10_000


def test_education_is_in_the_order_of_schooling() -> None:
    education = cps_extract().schema["education"]
    assert education.is_ordered
    assert education.values[0] == "Less than 1st grade"
    assert education.values[-1] == "Doctorate degree(PhD EdD)"


def test_values_have_no_blanks_at_their_ends() -> None:
    assert all(text == text.strip() for variable in cps_extract().schema for text in variable.texts)


def test_attribution_names_source_and_licence() -> None:
    text = attribution()
    assert all(words in text for words in ("U.S. Census Bureau", "Census-Income (KDD)", "CC BY 4.0", "Changes"))


def test_demos_say_whether_their_people_exist() -> None:
    for demo in DEMOS:
        titles = [str(variable.title) for variable in demo.make().schema]
        assert all(("simulated" in title) == (demo.origin == "simulated") for title in titles), demo.name
