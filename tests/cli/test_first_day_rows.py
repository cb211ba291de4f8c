"""What was tried on the first day, row by row: which test tries it again, and the rows that no other test has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from divulge.reports.formats.markdown import Markdown
from tests.support.acro_folders import table_entry, write_folder
from tests.support.repository import ROOT
from tests.support.running import divulge

ROWS = {
    "a cell of two, 10 splits": ["cli/test_first_day_rows.py::test_cell_of_two_is_never_released_however_few_splits"],
    "the same with acro --splits 10 --seconds 2": [
        "cli/test_first_day_rows.py::test_cell_of_two_is_never_released_from_a_folder_of_acro"
    ],
    "robust standard errors": ["cli/test_first_day.py::test_robust_standard_errors_are_named_and_agree"],
    "a standard error that the data do not give": [
        "cli/test_first_day.py::test_figure_that_the_data_do_not_give_is_the_first_reason_of_a_review"
    ],
    "standard errors dropped": [
        "cli/test_first_day.py::test_what_broom_prints_is_kept_and_what_is_left_out_is_said",
        "unit/test_notebook.py::test_robust_standard_errors_are_kept_and_others_are_refused_in_words",
    ],
    "more digits than decimals says": [
        "unit/outputs/test_everything_printed.py::test_more_digits_than_decimals_says_are_an_error_that_shows_the_figure"
    ],
    "identifiers in the schema": [
        "cli/test_inspect_private.py::test_nothing_of_50_000_people_is_in_the_schema_or_on_the_screen",
        "cli/test_inspect_private.py::test_schema_says_what_is_held_without_levels",
    ],
    "what inspect sees, nobody else says": [
        "cli/test_findings_and_folders.py::test_check_says_what_inspect_knows_once_for_each_kind",
        "cli/test_findings_and_folders.py::test_new_says_it_too",
        "cli/test_findings_and_folders.py::test_weight_among_the_keys_is_remarked",
        "cli/test_findings_and_folders.py::test_record_and_report_have_the_findings_and_another_assessment_goes_beside",
        "cli/test_findings_and_folders.py::test_notebook_says_what_inspect_knows",
    ],
    "synthesiser without its kind": ["cli/test_first_day.py::test_advice_of_verdicts_can_be_pasted"],
    "an odd number of splits": ["cli/test_first_day.py::test_every_hint_that_shows_a_line_can_be_pasted"],
    "results that are no text": ["cli/test_first_day.py::test_results_that_are_no_text_are_refused_with_what_to_do"],
    "a crosstab of pandas": ["cli/test_first_day.py::test_crosstab_as_pandas_writes_it_is_read"],
    "five mistakes, five runs": ["cli/test_check.py::test_mistakes_in_the_words_and_in_the_data_are_one_list"],
    "new forgets every answer": [
        "cli/test_first_day.py::test_new_asks_again_after_a_wrong_answer_and_goes_back_one_question"
    ],
    "dates with 9,000 levels": [
        "unit/table/test_dates.py::test_format_is_found_and_days_are_the_same",
        "unit/table/test_dates.py::test_bands_of_dates_are_variables_of_their_own",
    ],
    "an earlier verdict overwritten": [
        "cli/test_findings_and_folders.py::test_record_and_report_have_the_findings_and_another_assessment_goes_beside"
    ],
    "acro stopped": [
        "cli/test_acro.py::test_interrupted_run_goes_on_to_the_same_result",
        "cli/test_stopping.py::test_long_command_that_is_stopped_prints_the_line_that_goes_on",
    ],
    "resume that adds nothing": [
        "cli/test_assess_trouble.py::test_every_resume_goes_further_than_the_run_before",
        "cli/test_stopping.py::test_what_was_stopped_goes_on_without_a_search_made_twice",
    ],
    "survival refused without a word": ["cli/test_first_day_rows.py::test_refused_survival_says_why_and_where"],
    "an untested table in green": [
        "cli/test_findings_and_folders.py::test_nobody_found_is_a_dash_where_nobody_would_have_been_found",
        "cli/test_findings_and_folders.py::test_output_that_nobody_could_compare_says_a_dash_in_the_terminal_too",
    ],
    "reports headed Output 1": [
        "cli/test_findings_and_folders.py::test_small_average_and_an_exposed_person_are_reconciled_in_a_sentence"
    ],
    "marks in Markdown": ["cli/test_findings_and_folders.py::test_markdown_escapes_what_is_a_mark_and_nothing_else"],
    "198 remarks of one kind": ["cli/test_first_day_rows.py::test_remarks_of_one_kind_are_one_remark"],
    "refuse beside a small risk": [
        "cli/test_findings_and_folders.py::test_small_average_and_an_exposed_person_are_reconciled_in_a_sentence"
    ],
    "negbin is no gini": ["cli/test_first_day.py::test_kind_is_suggested_by_its_meaning"],
}
"""What was tried, and the tests that try it."""

N = 600
RNG = np.random.default_rng(24)  # any seed: the two people in one cell are put there by hand


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_a_test(row: str) -> None:
    for place in ROWS[row]:
        file, name = place.split("::")
        assert re.search(rf"^def {name}\(", (ROOT / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE), place


def _nursery() -> pd.DataFrame:
    """Parents and a recommendation; two people are alone with theirs."""
    given = RNG.choice(["no", "priority", "special"], N)
    given[:2] = "yes"
    parents = RNG.choice(["usual", "pretentious", "great"], N)
    parents[:2] = "usual"
    return pd.DataFrame({"parents": parents, "recommend": given})


@pytest.mark.parametrize("splits", [2, 10])
def test_cell_of_two_is_never_released_however_few_splits(splits: int) -> None:
    _nursery().to_csv("nursery.csv", index=False)
    text = "data: nursery.csv\noutputs: [{kind: crosstab, variables: [parents, recommend]}]\n"
    Path("s.yaml").write_text(f"{text}design: {{splits: {splits}, curve: false}}\n", encoding="utf-8")
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", 1) == 0
    record = json.loads(Path("out/record.json").read_bytes())
    assert (record["verdict"], record["exposure"]["exposed"]) == ("refuse", 2)


def test_cell_of_two_is_never_released_from_a_folder_of_acro(folder: Path) -> None:
    frame = _nursery()
    frame.to_csv("nursery.csv", index=False)
    table = pd.crosstab(frame.parents, frame.recommend)
    write_folder(folder / "acro", {"output_0": table_entry(table, "a.crosstab(df.parents, df.recommend)")})
    few = ["--splits", 10, "--seconds", 2, "--workers", 1]
    assert divulge("--quiet", "acro", "acro", "--data", "nursery.csv", "-o", "out", *few) == 0
    assert json.loads(Path("out/record.json").read_bytes())["verdict"] == "refuse"


def test_refused_survival_says_why_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    # Two people are followed longest, and everybody else's time ended before.
    months = np.append(RNG.integers(1, 24, 78), [59, 60])
    pd.DataFrame({"months": months, "died": np.append(RNG.integers(0, 2, 78), [1, 0])}).to_csv("s.csv", index=False)
    output = "{kind: survival, time: months, event: died, show: [survival, at risk, events], name: How long}"
    text = f"data: s.csv\noutputs: [{output}]\ndesign: {{splits: 4, curve: false}}\nsynthesiser: {{seconds: 0.2}}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", 1) == 0
    record = json.loads(Path("out/record.json").read_bytes())
    assert record["verdict"] == "refuse"
    assert record["reasons"]
    shown = capsys.readouterr().out
    for said in (shown, Markdown().render(record)):
        top = said.split("output   ")[0]
        assert "How long" in top
        assert all(reason.split("(")[0][:60] in said.replace("\\", "") for reason in record["reasons"])
        assert re.search("about|What gives people away", top)


def test_remarks_of_one_kind_are_one_remark(capsys: pytest.CaptureFixture[str]) -> None:
    codes = {f"Q{i}": np.where(np.arange(N) % 9 == 0, -9, RNG.integers(10, 40, N)) for i in range(40)}
    pd.DataFrame({**codes, "GROUP": RNG.choice(["a", "b"], N)}).to_csv("asked.csv", index=False)
    text = f"data: asked.csv\noutputs: [{{kind: means, variables: [{', '.join(codes)}], by: [GROUP]}}]\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    divulge("check", "s.yaml", "--no-time", "--json")
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert len([w for w in warnings if "missing code" in w]) == 1
    assert "Q39" in next(w for w in warnings if "missing code" in w)
