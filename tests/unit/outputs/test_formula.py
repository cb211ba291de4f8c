"""Formulas: what is read, what is refused and where, and that nothing in one is ever executed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from divulge.demo import simulated_census
from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs.models.design import design_of, schema_counts
from divulge.outputs.models.formula import _plain_structure, _read_structure, formula_variables, parse_formula
from divulge.table import Schema, Variable, table_from_frame

SCHEMA = simulated_census(n_rows=1).schema


def labels(text: str, schema: Schema = SCHEMA) -> tuple[str, ...]:
    return design_of(parse_formula(text, schema), schema, schema_counts(schema)).labels


def test_terms_are_columns_in_the_order_in_which_they_are_written() -> None:
    assert labels("TENURE ~ AGE + SEX:LTILL + log(AGE + 1)") == (
        "Intercept",
        "AGE",
        "log(AGE + 1)",
        "LTILL[T.2]",
        "SEX[T.2]:LTILL[1]",
        "SEX[T.2]:LTILL[2]",
    )


@pytest.mark.parametrize("text", ["TENURE ~ SEX - 1", "TENURE ~ SEX + 0", "TENURE ~ 0 + SEX"])
def test_intercept_may_be_left_out_and_the_category_keeps_its_levels(text: str) -> None:
    assert labels(text) == ("SEX[1]", "SEX[2]")


@pytest.mark.parametrize(
    "contrast", ["Treatment(59)", "Treatment('59')", "Treatment(reference=59)", "contr.treatment(59)"]
)
def test_reference_may_be_written_in_several_ways(contrast: str) -> None:
    found = labels(f"TENURE ~ C(AREAP, {contrast})")
    assert [label.rsplit("[", 1)[1] for label in found[1:]] == ["T.57]", "T.58]", "T.60]", "T.61]", "T.62]", "T.63]"]


def test_reference_may_be_what_the_value_stands_for() -> None:
    assert len(labels("TENURE ~ C(AREAP, Treatment('Dudley'))")) == 7


def test_names_that_are_no_words_are_quoted() -> None:
    schema = Schema((Variable("my age", "numeric", np.arange(5)), Variable("y", "numeric", np.arange(3))))
    assert labels("y ~ `my age` + log(`my age` + 1) + Q('my age')", schema)[1] == "my age"
    assert formula_variables("y ~ `my age` + log(`my age` + 1)") == ("y", "my age")


@pytest.mark.parametrize("level", ["(0,30]", "[30,40)", "King's Lynn", "a: b + c ~ d", 'say "no"'])
def test_reference_may_hold_whatever_a_value_holds(level: str) -> None:
    schema = Schema((Variable("y", "numeric", np.arange(3)), Variable("g", "categorical", np.array(["a", level]))))
    formula = parse_formula(f"y ~ C(g, Treatment({level!r}))", schema)
    ((_, factor),) = [term for term in [(None, *t) for t in formula.terms] if len(term) == 2]
    assert schema["g"].texts[factor.reference] == level


def test_names_that_are_words_of_the_grammar_are_quoted() -> None:
    schema = Schema((Variable("y", "numeric", np.arange(3)), Variable("class", "categorical", np.array(["a", "b"]))))
    formula = parse_formula("y ~ C(`class`, Treatment('b'))", schema)
    assert formula.terms[1][0].variable == "class"


def test_contrast_is_no_variable() -> None:
    assert formula_variables("y ~ C(a, Sum) + C(b, Treatment(2)):x") == ("y", "a", "b", "x")


def test_variables_are_known_without_a_schema() -> None:
    assert formula_variables("log(INCOME) ~ AGE*SEX + C(AREAP, Treatment(57)) + np.sqrt(AGE)") == (
        "INCOME",
        "AGE",
        "SEX",
        "AREAP",
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("TENURE ~ AGE + (SEX", 16),
        ("TENURE ~ AGE +* SEX", 14),
        ("TENURE ~ AGE SEX", 10),
        ("TENURE ~ AGE)", 13),
        ("TENURE ~ AGE + log(SEX", 16),
        ("TENURE ~ AGE + 2", 16),
        ("TENURE ~ AGE ~ SEX", 14),
        ("TENURE ~ AGE | SEX", 14),
        ("TENURE AGE", 11),
        ("~ AGE", 1),
        ("TENURE + SEX ~ AGE", 1),
        ("", 1),
    ],
)
def test_error_says_where_the_formula_cannot_be_read(text: str, place: int) -> None:
    with pytest.raises(OutputError, match=rf"at character {place}\.") as error:
        parse_formula(text, SCHEMA)
    assert error.value.where == "formula"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TENURE ~ I(AGE * SEX)", "speaks of more than one variable.*interaction, a:b"),
        ("TENURE ~ C(AREAP, Treatment(99))", "no value 99 to be the reference.*57, 58"),
        ("TENURE ~ C(AREAP, Helmert)", "contrast `Helmert` is not known"),
        ("TENURE ~ C(AREAP, levels=[57])", "is not known.*Write C"),
        ("TENURE ~ log(C(AREAP))", "cannot stand inside another function"),
        ("TENURE ~ gamma(AGE)", "`gamma` is not a function that formulas know"),
        ("TENURE ~ log(3)", "speaks of no variable"),
        ("TENURE ~ AGE:3", "the number 3 scales a term"),
    ],
)
def test_formula_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        labels(text)


def test_unknown_variable_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownVariableError, match="Did you mean 'ETHGROUP'"):
        parse_formula("TENURE ~ ETHGROP", SCHEMA)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('touch executed')",
        "I(__import__('os').system('touch executed') + AGE)",
        "open('executed', 'w')",
        "np.save('executed', AGE)",
        "np.lib.npyio.DataSource(AGE)",
        "I(AGE.__class__.__mro__)",
        "I((lambda: open('executed', 'w'))())",
        "I([open('executed', 'w') for _ in (1,)])",
        "I(AGE if open('executed', 'w') else AGE)",
        'I(f\'{open("executed", "w")}\')',
        "{open('executed', 'w')}",
        "log(AGE, where=open('executed', 'w'))",
        "bs(AGE, df=open('executed', 'w'))",
        "C(AREAP, open('executed', 'w'))",
        "C(AREAP, Treatment(open('executed', 'w')))",
        "eval(AGE)",
        "exec(AGE)",
        "I((AGE := 3))",
        "Q(open('executed', 'w'))",
        "poly(AGE, degree=10**9)",
        "bs(AGE, df=99999999)",
    ],
)
def test_nothing_in_a_formula_is_executed(
    expression: str, tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    with pytest.raises((OutputError, UnknownVariableError)):
        labels(f"TENURE ~ {expression}")
    assert not list(tmp_path.iterdir())  # type: ignore[attr-defined]


def test_huge_powers_end_at_once() -> None:
    formula = parse_formula("TENURE ~ I(AGE ** 9 ** 9 ** 9)", SCHEMA)
    assert design_of(formula, SCHEMA, schema_counts(SCHEMA)).undefined["AGE"].any()


def test_columns_are_found_however_they_are_written() -> None:
    formula = parse_formula("TENURE ~ AGE + C(AREAP, Treatment(57)) + SEX*LTILL + I(AGE**2)", SCHEMA)
    design = design_of(formula, SCHEMA, schema_counts(SCHEMA))
    coventry = "C(AREAP, Treatment(57))[T.58]"
    for text in (
        "AREAP_58",
        "AREAP[T.58]",
        "C(AREAP)[T.58.0]",
        "AREAP=Coventry",
        "AREAPCoventry",
        "58.AREAP",
        coventry,
    ):
        assert design.find(text) == coventry
    for text in ("const", "(Intercept)", "_cons", "Constant"):
        assert design.find(text) == "Intercept"
    for text in ("LTILL[T.2]:SEX[T.2]", "SEX2:LTILL2", "SEX=Female # LTILL=No", "SEX_2*LTILL_2"):
        assert design.find(text) == "SEX[T.2]:LTILL[T.2]"
    assert design.find("I(AGE**2)") == "I(AGE ** 2)"
    assert design.find("AREAP_57") is None


AT_ONCE = """
import sys, threading, time
from divulge.outputs.models.formula import formula_variables
failed = []
def read(i):
    while i and "formulaic.errors" not in sys.modules:
        time.sleep(0.0005)
    time.sleep(0.002 * i)
    try:
        formula_variables(f"y ~ x{i} - 1")
    except Exception as error:
        failed.append(type(error).__name__)
assert "formulaic" not in sys.modules
threads = [threading.Thread(target=read, args=(i,)) for i in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


@pytest.mark.slow
def test_formulas_are_read_while_another_thread_imports_the_parser() -> None:
    said = subprocess.run([sys.executable, "-c", AT_ONCE], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "[]"


@pytest.mark.parametrize(
    "text",
    ["y ~ a", "y~a+b", "y ~ C(a) + b:c + d", " y ~ b : C(a) + d ", "y ~ a:b:c + b:a + c", "y_1 ~ x2 + C(z) + x10:C(z)"],
)
def test_plain_formulas_are_read_as_the_grammar_reads_them(text: str) -> None:
    assert _plain_structure(text) == _read_structure(text)


@pytest.mark.parametrize(
    "text",
    ["y ~ a*b", "y ~ a - 1", "y ~ 0 + a", "y ~ a + a", "y ~ a:b + b:a", "y ~ a:a", "log(y) ~ a", "y ~ a |b", "y ~"],
)
def test_formulas_that_are_not_plain_are_left_to_the_grammar(text: str) -> None:
    assert _plain_structure(text) is None


def test_category_on_the_left_is_the_variable_itself() -> None:
    assert parse_formula("C(SEX) ~ AGE", SCHEMA).response.text == "SEX"


def test_identifier_as_a_term_is_refused_before_it_takes_all_memory() -> None:
    table = table_from_frame(pd.DataFrame({"y": np.arange(6000) % 7, "name": [f"n{i}" for i in range(6000)]}))
    with pytest.raises(OutputError, match="'name' has 6,000 levels; a term of a model has at most 5,000"):
        design_of(parse_formula("y ~ name", table.schema), table.schema, schema_counts(table.schema))
