"""Finished splits on disk: written whole or not at all, read back as they were, kept only where of use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.assess.splits.checkpoint import Checkpoint, digest_of
from divulge.assess.splits.measures import Figure
from divulge.assess.splits.split import Embedded, SplitResult
from divulge.designs import RepeatedHalves, Split
from divulge.errors import SpecError, UsageError, WorkerError
from divulge.scenario import Matches

SPLIT: Split = RepeatedHalves(splits_wanted=2).splits(100, 1)[1]
COUNTS = Matches(np.array([1, 0], np.int32), np.array([2, 3], np.int32), np.array([True, False]))
RESULT = SplitResult(
    SPLIT,
    (Embedded("ok", 0.25, 4, 1.0, 1.0, (2,), (3,)),),
    "reproduced",
    None,
    (COUNTS,),
    ({"TCAP": Figure(0.5, 0.25, 0.1)},),
    (),
    1.5,
)


def test_split_is_read_back_as_it_was(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "digest", resume=False)
    checkpoint.save("pass0", RESULT)
    found = Checkpoint(tmp_path, "digest", resume=True).load("pass0", SPLIT)
    assert found is not None
    assert (found.outputs[0].missed, found.measures, found.seconds) == ([2], RESULT.measures, 1.5)
    for name in ("near", "matched", "certain"):
        assert np.array_equal(getattr(found.counts[0], name), getattr(COUNTS, name))


def test_split_of_another_pass_is_not_there(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "digest", resume=False)
    checkpoint.save("pass0", RESULT)
    assert checkpoint.load("pass1", SPLIT) is None


def test_half_a_file_is_no_split(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "digest", resume=False)
    checkpoint.save("pass0", RESULT)
    file = next((tmp_path / "splits").glob("*.npz"))
    file.write_bytes(file.read_bytes()[:60])
    assert checkpoint.load("pass0", SPLIT) is None


def test_without_a_folder_nothing_is_kept() -> None:
    checkpoint = Checkpoint(None, "digest", resume=False)
    checkpoint.save("pass0", RESULT)
    assert checkpoint.load("pass0", SPLIT) is None


def test_splits_of_another_assessment_are_refused_or_thrown_away(tmp_path: Path) -> None:
    Checkpoint(tmp_path, "one", resume=False).save("pass0", RESULT)
    with pytest.raises(UsageError, match="belong to another spec"):
        Checkpoint(tmp_path, "other", resume=True)
    assert Checkpoint(tmp_path, "other", resume=False).load("pass0", SPLIT) is None


@pytest.mark.parametrize(
    ("error", "stays"), [(WorkerError("gone"), True), (SpecError("wrong"), False)], ids=["can resume", "cannot"]
)
def test_finished_splits_stay_only_where_resuming_can_use_them(tmp_path: Path, error: Exception, stays: bool) -> None:
    folder = tmp_path / "new" / "out"
    checkpoint = Checkpoint(folder, "digest", resume=False)
    checkpoint.save("pass0", RESULT)
    with pytest.raises(type(error)), checkpoint.kept_if_of_use():
        raise error
    assert folder.exists() is stays
    assert (tmp_path / "new").exists() is stays


def test_digest_tells_where_one_part_ends_and_the_next_begins() -> None:
    assert digest_of(b"ab", b"c") != digest_of(b"a", b"bc")
    assert digest_of(b"ab") == digest_of(b"ab")
