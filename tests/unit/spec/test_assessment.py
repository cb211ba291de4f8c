"""The assessment file: every field arrives, and every mistake is named with its path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.designs import DESIGNS, RepeatedHalves
from divulge.errors import DivulgeError, FileMissingError, OutputError, SpecError
from divulge.measures import FAMILIES
from divulge.measures.families.tcap import Tcap
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.policy import Policy
from divulge.settings import Choice, json_schema, settings_of
from divulge.spec import Assessment, parse_output, parse_spec, read_inputs, read_spec
from divulge.spec.document import parse_yaml
from divulge.synthesisers import SYNTHESISERS, Descent

WHOLE = """
data: census.csv
schema: census.schema.json
outputs:
  - kind: means
    variables: AGE
    released: {AGE: 35.25}
    decimals: 2
    weight: 2
  - kind: crosstab
    variables: [TENURE, ETHGROUP]
    where: AGE >= 18
    compute: true
scenario: {target: TENURE, keys: [AREAP, AGE, ETHGROUP], key_sizes: 2-3, knows: marginals}
design: {kind: repeated-halves, splits: 30}
synthesiser: {kind: descent, start: univariate}
measures: [TCAP, DCAP, DiSCO]
policy: policy.yaml
seed: 7
"""


def test_every_field_arrives() -> None:
    found = parse_spec(parse_yaml(WHOLE), Path("folder"))
    assert found.data == Path("folder/census.csv")
    assert found.schema == Path("folder/census.schema.json")
    assert found.outputs == (
        Means(variables=("AGE",), released={"AGE": 35.25}, decimals=2, weight=2.0),
        Crosstab(variables=("TENURE", "ETHGROUP"), where="AGE >= 18", compute=True),
    )
    (scenario,) = found.scenarios
    assert (scenario.target, scenario.keys) == ("TENURE", ("AREAP", "AGE", "ETHGROUP"))
    assert (scenario.key_sizes, scenario.knows) == ((2, 3), "marginals")
    assert found.design == RepeatedHalves(splits_wanted=30)
    assert found.synthesiser == Choice(Descent, {"start": "univariate"})
    assert found.measures == ("TCAP", "DCAP", "DiSCO")
    assert found.policy == Path("folder/policy.yaml")
    assert found.seed == 7


def test_little_is_needed() -> None:
    found = parse_spec({"outputs": [{"kind": "means", "variables": ["AGE"]}]})
    assert (found.data, found.rows, found.scenarios, found.seed) == (None, None, (), 1)


@pytest.mark.parametrize("sizes", [3, "3", [3, 3], "3-3", "3–3"])
def test_key_sizes_may_be_written_in_several_ways(sizes: object) -> None:
    document = {"outputs": [{"kind": "means", "variables": ["AGE"]}], "scenario": {"key_sizes": sizes}}
    assert parse_spec(document).scenarios[0].key_sizes == (3, 3)


GOOD = {"kind": "crosstab", "variables": ["SEX"]}


@pytest.mark.parametrize(
    ("changes", "where", "message"),
    [
        ({"outputs": []}, "outputs", "at least one entry"),
        ({"outputs": [{"kind": "crosstab"}]}, "outputs[0].variables", "this field is missing"),
        ({"outputs": [GOOD, {"kind": "crostab"}]}, "outputs[1].kind", "Did you mean 'crosstab'"),
        ({"outputs": [GOOD, GOOD, {"variables": ["A"]}]}, "outputs[2]", "the field 'kind' is missing"),
        ({"outputs": [{**GOOD, "vairables": 1}]}, "outputs[0].vairables", "Did you mean 'variables'"),
        ({"outputs": [{**GOOD, "variables": [1]}]}, "outputs[0].variables[0]", "a text is needed, 1 is given"),
        ({"outputs": [{**GOOD, "variables": [True]}]}, "outputs[0].variables[0]", "quotation marks"),
        ({"outputs": [{**GOOD, "variables": ["A", "A"]}]}, "outputs[0].variables", "different variables"),
        ({"outputs": [{**GOOD, "margins": "yes"}]}, "outputs[0].margins", "true or false is needed, 'yes'"),
        ({"outputs": [{**GOOD, "statistic": "x"}]}, "outputs[0].statistic", "'counts', .* is needed, 'x' is given"),
        ({"outputs": [{**GOOD, "decimals": 1.5}]}, "outputs[0].decimals", "a whole number"),
        ({"outputs": [{**GOOD, "decimals": True}]}, "outputs[0].decimals", "a whole number"),
        ({"outputs": [{**GOOD, "decimals": 99}]}, "outputs[0].decimals", "from -15 to 15"),
        ({"outputs": [{**GOOD, "significant": 0}]}, "outputs[0].significant", "from 1 to 15"),
        ({"outputs": [{**GOOD, "weight": -1}]}, "outputs[0].weight", "at least 0"),
        ({"outputs": [{**GOOD, "released": 3}]}, "outputs[0].released", "a mapping"),
        ({"outputs": [{**GOOD, "threshold": 0}]}, "outputs[0].threshold", "above 0"),
        (
            {"outputs": [{"kind": "custom", "function": "a:b", "suppressed": ["x"]}]},
            "outputs[0].suppressed",
            "takes no",
        ),
        ({"outputs": [{"kind": "means", "variables": ["A"], "threshold": 5}]}, "outputs[0].threshold", "takes no"),
        ({"outputs": [{"kind": "extremes", "variables": ["A"], "weights": "W"}]}, "outputs[0].weights", "takes no"),
        ({"outputs": [{"kind": "custom", "function": "nothing"}]}, "outputs[0].function", "names no function"),
        ({"outputs": [5]}, "outputs[0]", "a mapping of names to values is needed, 5"),
        ({"seed": -1}, "seed", "at least 0"),
        ({"seeed": 1}, "seeed", "Did you mean 'seed'"),
        ({"rows": 0}, "rows", "at least 1"),
        ({"rows": True}, "rows", "a whole number"),
        ({"scenario": {"tagret": "A"}}, "scenario.tagret", "Did you mean 'target'"),
        ({"scenario": {"key_sizes": "a-b"}}, "scenario.key_sizes", "Write for example 3-6"),
        ({"scenario": {"key_sizes": "4-3"}}, "scenario.key_sizes", "Write for example 3-6"),
        ({"scenario": [{"target": "A"}, {"knows": "all"}]}, "scenario[1].knows", "'nothing', 'marginals'"),
        ({"design": {"splits": 3}}, "design.splits", "Write splits: 4"),
        ({"design": {"kind": "halves"}}, "design.kind", "there is no design 'halves'"),
        ({"design": {"split": 4}}, "design.split", "Did you mean 'splits'"),
        (
            {"design": {"stop_early": "no"}},
            "design.stop_early",
            "true or false is needed, 'no' is given. Write false",
        ),
        # What the search finds out by itself is no setting.
        ({"synthesiser": {"polish": True}}, "synthesiser.polish", "The fields are: start, keep, seconds, mae"),
        ({"synthesiser": {"mae": "0.1"}}, "synthesiser.mae", "Write 0.1, without quotation marks"),
        ({"synthesiser": {"mae": -1}}, "synthesiser.mae", "a number of at least 0 is needed, -1"),
        ({"design": {"curve_splits": 2.5}}, "design.curve_splits", "a whole number of at least 2 is needed, 2.5"),
        ({"synthesiser": {"seconds": -1}}, "synthesiser.seconds", "a number above 0 is needed, -1"),
        ({"synthesiser": {"kind": "evolutionary", "mutation": 2}}, "synthesiser.mutation", "from 0 to 1"),
        ({"synthesiser": {"kind": "evolutionary", "mutation": [[0, 2]]}}, "synthesiser.mutation[0][1]", "from 0 to 1"),
        (
            {"synthesiser": {"kind": "evolutionary", "mutation": {"rate": 0.1}}},
            "synthesiser.mutation.divide",
            "missing",
        ),
        ({"policy": {"dleta": 0.1}}, "policy.dleta", "Did you mean 'delta'"),
        ({"measures": ["TCAPP"]}, "measures[0]", "Did you mean 'TCAP'"),
        ({"measures": [{"tcap": {"tau": 2}}]}, "measures[0].tcap.tau", "above 0 and at most 1"),
        ({"teaching": {"versions": 0}}, "teaching.versions", "from 1 to 1000"),
        ({"teaching": {"weight": {"margins": {"SEX": {"1": "x"}}}}}, "teaching.weight.margins.SEX.1", "a number"),
        ({"synthesiser": "descent"}, "synthesiser", "a mapping"),
        ({"measures": "TCPA"}, "measures", "a known name is needed, 'TCPA' is given"),
        ({"data": None, "outputs": [{**GOOD, "base": float("inf")}]}, "outputs[0].base", "infinite"),
    ],
)
def test_mistake_is_named_with_its_path(changes: dict[str, Any], where: str | None, message: str) -> None:
    with pytest.raises(DivulgeError, match=message) as error:
        parse_spec({"outputs": [GOOD], **changes})
    assert error.value.where == where


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    with pytest.raises(SpecError) as error:
        parse_spec(
            {
                "outputs": [{**GOOD, "margins": "no"}, {"kind": "crosstab", "variables": ["A", "A"]}],
                "design": {"splits": 3},
                "synthesiser": {"mae": "0.1", "seconds": -1},
                "sed": 1,
            }
        )
    places = ["outputs[0].margins", "outputs[1].variables", "design.splits", "synthesiser.mae", "synthesiser.seconds"]
    assert [e.where for e in error.value.every] == [*places, "sed"]


def test_sections_without_kind_are_of_the_usual_one() -> None:
    found = parse_spec({"outputs": [GOOD], "synthesiser": {"seconds": 5}, "design": {"splits": 4}})
    assert found.synthesiser.make() == Descent(seconds=5.0)
    assert found.design == RepeatedHalves(splits_wanted=4)


def test_section_that_is_left_empty_is_as_usual() -> None:
    found = parse_spec({"outputs": [GOOD], "synthesiser": None, "design": None, "policy": None, "seed": None})
    assert (found.synthesiser.make(), found.design, found.policy, found.seed) == (Descent(), None, None, 1)


def test_measures_may_have_settings() -> None:
    found = parse_spec({"outputs": [GOOD], "measures": ["DCAP", {"tcap": {"tau": 0.9}}]})
    assert (found.measures, found.families) == (("DCAP", "tcap"), {"tcap": Tcap(tau=0.9)})


@pytest.mark.parametrize("document", [{}, {"kind": "nobody"}])
def test_one_output_of_no_kind_is_rejected(document: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="kind"):
        parse_output(document)


CSV = "SEX,AGE,W\nf,10,1\nf,20,2\nm,30,\nm,40,2\n"
SCHEMA = """{"fields": [{"name": "SEX", "type": "string", "categories": ["f", "m", "x"]},
  {"name": "AGE", "type": "integer"}, {"name": "W", "type": "integer"}]}"""


def inputs(folder: Path, text: str, files: dict[str, str] | None = None) -> Any:
    for name, content in {"d.csv": CSV, "s.json": SCHEMA, **(files or {})}.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "spec.yaml").write_text(text, encoding="utf-8")
    return read_inputs(read_spec(folder / "spec.yaml"))


def test_released_numbers_are_read_beside_the_spec(tmp_path: Path) -> None:
    text = "data: d.csv\noutputs: [{kind: crosstab, variables: [SEX], released: r.csv}]"
    found = inputs(tmp_path, text, {"r.csv": "SEX,count\nm,2\nf,*\n"})
    assert found.n_rows == 4
    (released,) = found.released
    assert released.labels == ("SEX=f", "SEX=m")
    assert str(released.values.tolist()) == "[nan, 2.0]"
    assert (released.low.tolist(), released.high.tolist()) == ([0.0, 1.5], [4.0, 2.5])


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("{outputs: [{kind: mode, variables: [SEX]}]}", "data", "Name a file of data, or a schema"),
        ("{data: no.csv, outputs: [{kind: mode, variables: [SEX]}]}", "data: ", "no such file"),
        ("{data: d.csv, schema: no.json, outputs: [{kind: mode, variables: [SEX]}]}", "schema: ", "no such file"),
        ("{data: d.csv, rows: 9, outputs: [{kind: mode, variables: [SEX]}]}", "rows", "have 4 rows, not 9"),
        (
            "{schema: s.json, rows: 9, outputs: [{kind: mode, variables: [SEX]}]}",
            "outputs[0].released",
            "neither given",
        ),
        ("{data: d.csv, outputs: [{kind: mode, variables: [SEXX]}]}", "outputs[0].variables[0]", "Did you mean 'SEX'"),
        ("{data: d.csv, outputs: [{kind: means, variables: [SEX]}]}", "outputs[0].variables[0]", "variable of numbers"),
        ("{data: d.csv, outputs: [{kind: means, variables: [AGE], by: [AGE]}]}", "outputs[0].by", "by itself"),
        ("{data: d.csv, outputs: [{kind: mode, variables: [SEX], where: AGE > }]}", "outputs[0].where", "a value"),
        ("{data: d.csv, outputs: [{kind: mode, variables: [SEX], where: AEG > 1}]}", "outputs[0].where", "'AGE'"),
        ("{data: d.csv, outputs: [{kind: mode, variables: [SEX], weights: SEX}]}", "outputs[0].weights", "of numbers"),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: {SEX=f: 1}}]}",
            "outputs[0].released",
            "2 figures are needed, 1 value is given. Missing: 'SEX=m'",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: [1]}]}",
            "outputs[0].released",
            "Missing are the last ones: 'SEX=m'",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: SEX, statistic: proportions, released: [0.5, 1.2]}]}",
            "outputs[0].released",
            "'SEX=m' is given as 1.2, which cannot be: it lies between 0 and 1",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: [2, 5]}]}",
            "outputs[0].released",
            "between 0 and 4",
        ),
        (
            "{data: d.csv, outputs: [{kind: means, variables: [AGE], released: [41]}]}",
            "outputs[0].released",
            "between 10 and 40",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], base: 5, released: [5, 7]}]}",
            "outputs[0].released",
            "7, no multiple of 5",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], suppressed: [SEX=y], released: [1, 2]}]}",
            "outputs[0].suppressed",
            "no cell 'SEX=y'",
        ),
        (
            "{data: d.csv, outputs: [{kind: mode, variables: [SEX], released: {SEX: neither}}]}",
            "outputs[0].released",
            "a number is needed",
        ),
        (
            "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: no.csv}]}",
            "outputs[0].released",
            "no such file",
        ),
    ],
)
def test_output_that_does_not_fit_the_data_is_rejected(tmp_path: Path, text: str, where: str, message: str) -> None:
    with pytest.raises(DivulgeError, match=message) as error:
        inputs(tmp_path, text)
    assert (error.value.where or "").startswith(where)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("term,x\na,1\n", "needs a column"),
        ("term,coef\nSEX=f,1,2\n", "line 2 of 'r.csv' has 3 cells"),
        ("term,coef\nSEX=f,1\nSEX=f,2\n", "names 'SEX=f' twice"),
        ("term,coef\nSEX=f,1\nSEX=m,1;2\n", "a number is needed"),
        ("term,coef\nSEX=f,1\nSEX=m,nan\n", "a number is needed"),
        ("term,coef\nSEX=f,1\nSEX=m,2\nSEX=y,3\n", "no figure 'SEX=y'"),
    ],
)
def test_bad_file_of_released_numbers_is_rejected(tmp_path: Path, content: str, message: str) -> None:
    text = "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: r.csv}]}"
    with pytest.raises(OutputError, match=message) as error:
        inputs(tmp_path, text, {"r.csv": content})
    assert error.value.where == "outputs[0].released"


def test_figure_that_does_not_exist_is_answered_with_the_nearest_in_the_same_words(tmp_path: Path) -> None:
    schema = SCHEMA.replace('["f", "m", "x"]', '[{"value": "f", "label": "Female"}, {"value": "m", "label": "Male"}]')
    text = "{data: d.csv, schema: s.json, outputs: [{kind: crosstab, variables: [SEX], released: {SEX=Mael: 2}}]}"
    with pytest.raises(OutputError, match="Did you mean 'SEX=Male'"):
        inputs(tmp_path, text, {"s.json": schema})


def test_missing_file_of_released_numbers_has_its_own_exit_code(tmp_path: Path) -> None:
    with pytest.raises(FileMissingError):
        inputs(tmp_path, "{data: d.csv, outputs: [{kind: crosstab, variables: [SEX], released: no.csv}]}")


def test_json_schema_knows_every_kind_and_refuses_others() -> None:
    schema = json_schema(Assessment, "Divulge assessment")
    assert schema["additionalProperties"] is False
    assert {"data", "schema", "rows", "outputs", "scenario", "design", "seed"} <= set(schema["properties"])
    kinds = schema["properties"]["outputs"]["items"]["discriminator"]["mapping"]
    assert {"crosstab", "means", "position", "custom"} <= set(kinds)
    assert "folder" not in schema["$defs"]["Custom"]["properties"]
    assert "threshold" not in schema["$defs"]["Means"]["properties"]
    assert schema["$defs"]["Means"]["required"] == ["kind", "variables"]


def test_json_schema_knows_every_section() -> None:
    schema = json_schema(Assessment, "Divulge assessment")
    members = [*DESIGNS, *SYNTHESISERS, *FAMILIES, Policy]
    for member in members:
        assert set(schema["$defs"][member.__name__]["properties"]) - {"kind"} == set(settings_of(member))
    assert "required" not in schema["$defs"]["Descent"]  # the usual one needs no kind
    assert schema["$defs"]["Evolutionary"]["required"] == ["kind"]
    assert schema["$defs"]["Descent"]["properties"]["seconds"]["exclusiveMinimum"] == 0
    assert schema["$defs"]["TeachingFields"]["properties"]["versions"]["maximum"] == 1000


def test_standard_errors_are_read_with_their_own_decimals(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("x,y\n" + "".join(f"{i % 5},{i % 7}\n" for i in range(70)), encoding="utf-8")
    coefficients = {"Intercept": {"coef": 3.0, "se": 0.421}, "x": {"coef": 0.0, "se": 0.172}, "n": 70}
    fields = {"kind": "linear", "formula": "y ~ x", "statistics": ["se", "n"], "released": coefficients}
    spec = {"data": "people.csv", "outputs": [{**fields, "decimals": [4, 4, 0], "se_decimals": 3}]}
    released = read_inputs(parse_spec(spec, tmp_path)).released[0]
    assert released is not None
    assert released.half.tolist() == [0.00005, 0.00005, 0.5]
    assert released.se_half[:2].tolist() == [0.0005, 0.0005]
