"""The page of proposals says of each change that was not released why it was not."""

from __future__ import annotations

from divulge.reports.proposals import proposals_page


def test_page_says_why_a_change_was_not_released() -> None:
    tried = [{"sentence": "Merge a & b", "verdict": "review", "reasons": ["Only 50 % could be <tested>."]}]
    before = {"verdict": "refuse", "reasons": ["1 person is exposed."]}
    page = proposals_page({"before": before, "proposals": [], "tried": tried})
    assert "Merge a &amp; b <b>review</b>" in page
    assert "Only 50 % could be &lt;tested&gt;." in page


def test_page_shows_what_would_be_released_what_is_no_longer_told_and_what_was_not_released() -> None:
    after = {"verdict": "release", "exposed": 0, "risk": [], "reasons": []}
    before = {"verdict": "refuse", "exposed": 4, "risk": [], "reasons": ["4 people are exposed."]}
    shown = {"rows": [["area", "n"], ["<north>", "12"]], "more": 3, "notes": ["area: merged."]}
    lost = {"information": 0.2, "outputs": []}
    proposal = {"sentence": "Merge", "after": after, "before": before, "loss": lost, "steps": []}
    proposal |= {"lost": ["sex"], "shown": [shown], "spec": "safer/proposal-1.yaml", "tables": ["safer/1.csv"]}
    tried = {"sentence": "Round", "verdict": "review", "reasons": [], "loss": {"information": 0.4}, "after": before}
    page = proposals_page({"before": before, "proposals": [proposal], "tried": [tried]})
    for text in (
        "<th>area</th>",
        "&lt;north&gt;",
        "3 rows more",
        "area: merged.",
        "No longer told",
        "rings: not released",
        '<a href="1.csv">1.csv</a>',
        "<details open>",
    ):
        assert text in page
    assert "rings: not released" in page
    assert 'fill="none" stroke' in page  # the ring of what was not released
