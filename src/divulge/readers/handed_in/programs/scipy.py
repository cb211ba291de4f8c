"""What SciPy prints of its tests: t-tests, χ² and correlations, with the statement that asked for them."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.expressions import as_condition
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.sheets import Block, Lines

_RESULT = re.compile(r"(\w*Result)\((.*)")
_FIELD = re.compile(r"\b(statistic|pvalue|df|dof|correlation)=(?:np\.\w+\()?(-?[\d.]+(?:e[-+]?\d+)?|nan)")
_TESTS = {"ttest_ind": "t-test", "ttest_rel": "t-test", "ttest_1samp": "t-test"}
_TESTS |= {"chi2_contingency": "chi-squared", "pearsonr": "correlation", "spearmanr": "correlation"}
_STATISTICS = {"t-test": "t", "chi-squared": "chi-squared", "correlation": "correlation"}


class Scipy:
    """Results of scipy.stats: ttest_ind, ttest_rel, chi2_contingency, pearsonr, spearmanr and others."""

    name = "scipy"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The tests of a stretch of a session."""
        if not isinstance(block, Lines):
            return []
        out = []
        command = ""
        for i, text in enumerate(block.texts):
            if re.match(r"^(?:>>> |In \[\d+\]: )", text):
                command = text
            found = _RESULT.search(text)
            if found is not None and (candidate := _test(found[2], command, block.line(i), session)) is not None:
                out.append(session.signed(candidate, self.name))
        return out


def _test(shown: str, command: str, line: int, session: Session) -> Candidate | None:
    called = next((f for f in re.findall(r"\b(\w+)\(", command) if f in _TESTS), None)
    kind = _TESTS.get(called or "", "other")
    figures: list[Figure] = []
    for name, text in _FIELD.findall(shown):
        what = {"pvalue": "p-value", "dof": "df"}.get(name, name)
        what = _STATISTICS.get(kind, "statistic") if what == "statistic" else what
        number = parse_number(text)
        if number is not None and not any(f.what == what for f in figures):
            figures.append(Figure(what, what, number, line))
    if len(figures) < 2:
        return None
    names = [w for w in re.findall(r"[A-Za-z_]\w*", command) if session.words.variable(w) == w or w in session.derived]
    compared = re.findall(r"(?:\b\w+\.|\[['\"])(\w+)(?:['\"]\])?\s*==", command)
    by = tuple(dict.fromkeys(c for c in compared if c in names))
    variables = tuple(dict.fromkeys(n for n in names if n not in by))
    statistic = {"spearmanr": "Spearman", "pearsonr": "Pearson"}.get(called or "")
    if kind == "t-test":
        equal = re.search(r"equal_var\s*=\s*False", command) is None
        statistic = "t-test, equal variances" if equal else "Welch t-test"
    elif kind == "chi-squared":
        variables, by = variables[:1], variables[1:2] or by
        corrected = re.search(r"correction\s*=\s*False", command) is None
        statistic = "chi-squared with Yates' correction" if corrected else "chi-squared"
    limited = re.search(r"\.query\(['\"](.+?)['\"]\)", command)
    where = as_condition(limited[1]) if limited else None
    shape = "other" if kind == "other" else "test"
    lines = (line, line)
    return Candidate(
        shape,  # type: ignore[arg-type]  # one of two words
        kind,
        lines,
        tuple(figures),
        variables=variables,
        by=by,
        where=where,
        statistic=statistic,
    )
