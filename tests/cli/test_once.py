"""Data are read once, and what all rows give is computed once, whichever command asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.outputs.figures import Figures
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.sources import file
from divulge.table import Table, write_table
from tests.support.assessing import people
from tests.support.running import divulge

SPEC = """data: people.csv
outputs:
  - {kind: crosstab, variables: [SEX, ILL], compute: true}
  - {kind: means, variables: [SEX], by: [ILL], decimals: 2, compute: true}
earlier:
  - {kind: crosstab, variables: [AREA], where: AREA != 9, compute: true}
design: {kind: repeated-halves, splits: 2, curve: false}
"""


@pytest.mark.parametrize("command", ["compute", "rules", "embed", "assess"])
def test_data_are_read_once_and_figures_of_all_rows_computed_once(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(people(), "people.csv")
    Path("s.yaml").write_text(SPEC, encoding="utf-8")
    read: list[Table] = []
    computed: list[str] = []
    read_table = file.read_table
    monkeypatch.setattr(file, "read_table", lambda *a, **k: read.append(read_table(*a, **k)) or read[-1])
    for kind in (Crosstab, Means):
        evaluate = kind.evaluate

        def counted(self: Any, table: Table, evaluate: Any = evaluate) -> Figures:
            if any(_rows(table) == _rows(whole.select(table.names)) for whole in read):
                computed.append(self.describe())
            found: Figures = evaluate(self, table)
            return found

        monkeypatch.setattr(kind, "evaluate", counted)
    words = ["-o", "out", "--workers", "1"] if command == "assess" else []
    assert divulge("--quiet", command, "s.yaml", *words) == 0
    assert len(read) == 1
    assert sorted(computed) == sorted(set(computed))


def _rows(table: Table) -> list[bytes]:
    return [column.tobytes() for column in table.columns]
