"""Tables of τ-ARGUS' JJ format: two rows and three columns with their margins."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from divulge.audit.jj import JjTable
from divulge.audit.report import Status
from divulge.cli import main
from divulge.errors import NotATableError
from divulge.withholding.jj import withhold

# 5 20 30 | 55      cells 0 … 2, 3
# 9  8 25 | 42      cells 4 … 6, 7
# 14 28 55 | 97     cells 8 … 10, 11
VALUES = (5, 20, 30, 55, 9, 8, 25, 42, 14, 28, 55, 97)
SUMS = ((3, 0, 1, 2), (7, 4, 5, 6), (11, 8, 9, 10), (8, 0, 4), (9, 1, 5), (10, 2, 6), (11, 3, 7))


def _text(withheld: str = "") -> str:
    lines = ["0", str(len(VALUES))]
    for i, value in enumerate(VALUES):
        status = "u" if i == 0 else "m" if str(i) in withheld.split() else "s"
        lines.append(f" {i} {value}.00 {value} {status} 0.00 {2 * value}.00 2.00 2.00 0.00")
    lines.append(str(len(SUMS)))
    for total, *parts in SUMS:
        lines.append(f"0 {len(parts) + 1} : {total} (-1) " + " ".join(f"{p} (1)" for p in parts))
    return "\n".join(lines) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "t.jj").write_text(_text(), encoding="utf-8")
    return tmp_path / "t.jj"


def test_one_cell_withheld_alone_follows(file: Path) -> None:
    (cell,) = JjTable.read(file).audit().cells
    assert (cell.label, cell.low, cell.high, cell.status) == ("cell 0", 5, 5, Status.EXACT)
    assert cell.chain == "equation 0"


def test_a_square_of_four_is_open(file: Path) -> None:
    file.write_text(_text("1 4 5"), encoding="utf-8")
    found = JjTable.read(file).audit()
    # The four move together: the first by at most 5 down (itself) and 9 up (where cell 4 would be negative).
    assert [(c.low, c.high) for c in found.cells] == [(0, 14), (11, 25), (0, 14), (3, 17)]
    assert found.findings == ()
    limits = JjTable.read(file).audit(by_limits=True).cells
    assert (limits[0].low, limits[0].high) == (0, 10)  # nobody would believe more than 10


def test_withholding_more_protects_at_the_least_price(file: Path) -> None:
    made = withhold(JjTable.read(file))
    assert np.flatnonzero(made.withheld).tolist() == [0, 1, 4, 5]
    assert made.audit(by_limits=True).findings == ()


def test_what_is_written_is_read_again(file: Path) -> None:
    table = JjTable.read(file)
    table.write(file)
    again = JjTable.read(file)
    for name in ("value", "price", "status", "low", "high", "down", "up"):
        assert np.array_equal(getattr(table, name), getattr(again, name)), name
    assert (table.matrix != again.matrix).nnz == 0


def test_other_files_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "no.jj").write_text("0\n7\n 0 12 secret-17\n", encoding="utf-8")
    with pytest.raises(NotATableError, match="JJ format") as raised:
        JjTable.read(tmp_path / "no.jj")
    assert "secret" not in str(raised.value)


def test_commands_audit_and_mend_such_a_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*arguments: str) -> dict[str, object]:
        with pytest.raises(SystemExit) as end:
            main([*arguments, "--json"])
        assert not end.value.code
        found: dict[str, object] = json.loads(capsys.readouterr().out)
        return found

    cells = printed("audit", str(file))["cells"]
    assert [c["status"] for c in cells] == ["exact"]  # type: ignore[attr-defined]
    safer = file.parent / "safer"
    assert printed("mitigate", str(file), "-o", str(safer))["secondary"] == ["cell 1", "cell 4", "cell 5"]
    assert printed("audit", str(safer / "t.jj"))["findings"] == []
