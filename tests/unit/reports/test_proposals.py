"""The page of proposals says of each change that was not released why it was not."""

from __future__ import annotations

from divulge.reports.proposals import proposals_page


def test_page_says_why_a_change_was_not_released() -> None:
    tried = [{"sentence": "Merge a & b", "verdict": "review", "reasons": ["Only 50 % could be <tested>."]}]
    before = {"verdict": "refuse", "reasons": ["1 person is exposed."]}
    page = proposals_page({"before": before, "proposals": [], "tried": tried})
    assert "Merge a &amp; b <b>review</b>" in page
    assert "Only 50 % could be &lt;tested&gt;." in page
