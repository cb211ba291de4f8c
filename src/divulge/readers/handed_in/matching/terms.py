"""The terms of a regression in the names of the data (levels, products, functions), and the formula they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from divulge.readers.handed_in.candidates.candidate import Term
from divulge.readers.handed_in.candidates.statistic_names import INTERCEPT
from divulge.readers.handed_in.candidates.tables import quoted
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import Data


@dataclass(frozen=True)
class Factor:
    """A numeric expression, or one level of a variable."""

    name: str
    level: str | None = None
    expression: str | None = None

    @property
    def text(self) -> str:
        return self.expression or quoted(self.name)

    @property
    def meaning(self) -> str:
        """How `find_label` of a kind may be asked for it."""
        return f"{self.name}={self.level}" if self.level is not None else self.text


Column = tuple[Factor, ...]
"""A column of the design: a product of factors; none for the intercept."""


def columns_of(term: Term, words: Vocabulary, data: Data, aliases: dict[str, str]) -> list[Column]:
    """The columns that a term may mean, the likeliest first."""
    text = term.text.strip()
    if INTERCEPT.match(text):
        return [()]
    if term.group is not None and "#" in term.group:
        return _crossed(text, term.group, words, data, aliases)
    parts = _split(text)
    whole = _factors(text, term.group, words, data, aliases) if len(parts) < 2 or words.variable(text) else []
    if whole:
        return [(f,) for f in whole]
    if len(parts) > 1:
        groups = _split(term.group) if term.group else []
        found = [
            _factors(p, groups[i] if len(groups) == len(parts) else None, words, data, aliases)
            for i, p in enumerate(parts)
        ]
        if all(found):
            return [_powers(c) for c in product(*(f[:2] for f in found))]
        return [(f,) for f in _factors(text, term.group, words, data, aliases)]
    return []


def _crossed(text: str, group: str, words: Vocabulary, data: Data, aliases: dict[str, str]) -> list[Column]:
    """A row of an interaction in Stata: levels of the factors that the heading names; numeric ones have none."""
    heads = group.split("#")
    levels = iter(re.split(r"\s*#\s*|\s+", text) if len([h for h in heads if not h.startswith("c.")]) > 1 else [text])
    found: list[list[Factor]] = []
    for head in heads:
        if head.startswith("c."):
            found.append(_factors(head, None, words, data, aliases))
        else:
            found.append(_factors(next(levels, ""), head.removeprefix("i."), words, data, aliases))
    return [_powers(c) for c in product(*(f[:2] for f in found))] if all(found) else []


def _powers(factors: Sequence[Factor]) -> Column:
    """A product in which a variable stands more than once, `c.age#c.age`, with its power."""
    out: list[Factor] = []
    for factor in dict.fromkeys(factors):
        times = sum(f == factor for f in factors)
        is_power = times > 1 and factor.level is None and factor.expression is None
        out.append(Factor(factor.name, None, f"I({quoted(factor.name)}**{times})") if is_power else factor)
    return tuple(out)


def _split(text: str) -> list[str]:
    parts, depth, held = [], 0, ""
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0 and (c in ":#×*" or text[i : i + 3] == " x ") and held:
            if c == ":" and text[i + 1 : i + 2] == " ":
                held += c
                continue
            parts.append(held.strip())
            held = ""
        else:
            held += c
    return [p for p in [*parts, held.strip()] if p]


def _factors(text: str, group: str | None, words: Vocabulary, data: Data, aliases: dict[str, str]) -> list[Factor]:
    if group is not None:
        name = aliases.get(group) or words.variable(group)
        likely = [name] if name else words.variables_like(group)
        found = [Factor(n, level) for n in likely if (level := words.level(n, text)) is not None]
        if found or name is not None:
            return found
    bare = re.sub(r"^c\.", "", text)
    stata = re.match(r"^(\d+)[bo]?\.(\w+)$", bare)
    if stata is not None and (name := words.variable(stata[2])) is not None:
        texts, place = words.texts(name), int(stata[1])
        level = words.level(name, stata[1])
        if level is None and not data.is_numeric(name) and 0 < place <= len(texts):
            level = texts[place - 1]  # encode counts texts in their order
        return [Factor(name, level)] if level is not None else []
    bare = re.sub(
        r"^(?:stats::|forcats::)?(?:fct_)?relevel\(((?:[\w.]+|(?:as\.)?factor\([\w.]+\))),.*?\)(?=[^)]*$)", r"\1", bare
    )
    call = re.match(r"^C\(`?([\w.]+)`?,.*\)\[(?:T\.|S\.)?(.+)\]()$", bare) or re.match(
        r"^(?:C|factor|as\.factor|ordered)\(`?([\w.]+)`?(?:,.*?)?\)\s*(?:\[(?:T\.|S\.)?(.+)\]|(.+))?$", bare
    )
    call = call or re.match(r"^`?([\w.]+)`?\[(?:T\.|S\.)?(.+)\]()$", bare)
    if call is not None and (name := aliases.get(call[1]) or words.variable(call[1])) is not None:
        level = words.level(name, call[2] or call[3] or "")
        return [Factor(name, level)] if level is not None else []
    indicator = re.match(r"^(.+?)\((\d+)\)$", bare)
    if indicator is not None and (name := aliases.get(indicator[1]) or words.variable(indicator[1])) is not None:
        # SPSS counts the levels but the reference, which is the last unless it is said to be the first.
        texts, place = words.texts(name), int(indicator[2])
        return [Factor(name, texts[k]) for k in (place - 1, place) if 0 <= k < len(texts)]
    function = re.match(r"^(?:np\.)?(I|log|ln|exp|sqrt|log10)\((.+)\)$", bare)
    if function is not None:
        return _function(function[1], function[2], words)
    power = re.match(r"^([\w.]+)(?:\^|\*\*)(\d)$|^([\w.]+)(²|³)$", bare)
    if power is not None:
        name = words.variable(power[1] or power[3])
        degree = power[2] or {"²": "2", "³": "3"}[power[4]]
        return [Factor(name, None, f"I({quoted(name)}**{degree})")] if name else []
    return _by_words(bare, words, data, aliases)


def _function(called: str, inner: str, words: Vocabulary) -> list[Factor]:
    name = next((n for w in re.findall(r"[A-Za-z_][\w.]*", inner) if (n := words.variable(w)) is not None), None)
    if name is None:
        return []
    expression = inner.replace("^", "**")
    return [Factor(name, None, f"{'log' if called == 'ln' else called}({expression})")]


def _by_words(text: str, words: Vocabulary, data: Data, aliases: dict[str, str]) -> list[Factor]:
    name = aliases.get(text) or words.variable(text)
    if name is not None:
        return [Factor(name)] if data.is_numeric(name) else [Factor(name, t) for t in words.texts(name)[1:]][:1]
    found: list[Factor] = []
    dummy = re.match(r"^D(\w+)_(\w+)$", text)  # as dummify() of gretl calls them
    if dummy is not None and (name := words.variable(dummy[1])) and (level := words.level(name, dummy[2])) is not None:
        return [Factor(name, level)]
    made = re.match(r"^(l|sq)_(\w+)$", text)  # as logs and square of gretl call them
    if made is not None and (name := words.variable(made[2])) is not None and data.is_numeric(name):
        expression = f"log({quoted(name)})" if made[1] == "l" else f"I({quoted(name)}**2)"
        return [Factor(name, None, expression)]
    for name in sorted({*words.names, *aliases}, key=len, reverse=True):
        source = aliases.get(name, name)
        if text.casefold().startswith(name.casefold()) and len(text) > len(name):
            rest = text[len(name) :].lstrip(" _=:.")
            level = words.level(source, rest) if rest and source in data.names else None
            if level is not None:
                found.append(Factor(source, level))
    if found:
        return found[:2]
    for name in words.names:
        texts = words.texts(name)
        if 1 < len(texts) <= 12 and not data.is_numeric(name) and (level := words.level(name, text)) is not None:
            found.append(Factor(name, level))
    labelled = [
        Factor(n, level) for n in words.labels if n in data.names and (level := words.level(n, text)) is not None
    ]
    for name in words.variables_like(text):
        if data.is_numeric(name):
            found.append(Factor(name))
        elif len(words.texts(name)) == 2:
            found.append(Factor(name, words.level(name, "yes") or words.texts(name)[1]))
    return list(dict.fromkeys([*labelled, *found]))[:4]


def formula_of(response: str, columns: Sequence[Column], words: Vocabulary) -> str:
    """The formula that has these columns."""
    levels: dict[str, list[str]] = {}
    for column in columns:
        for factor in column:
            if factor.level is not None:
                levels.setdefault(factor.name, []).append(factor.level)
    written: list[str] = []
    for column in columns:
        text = ":".join(_written(f, levels, words) for f in column)
        if text and text not in written:
            written.append(text)
    right = " + ".join(written) or "1"
    has_intercept = any(not c for c in columns)
    del has_intercept  # programs leave it out of a table more often than out of a model
    return f"{response} ~ {right}"


def _written(factor: Factor, levels: dict[str, list[str]], words: Vocabulary) -> str:
    if factor.level is None:
        return factor.text
    texts = words.texts(factor.name)
    left = [t for t in texts if t not in levels[factor.name]]
    name = quoted(factor.name)
    if len(left) == 1 and texts and left[0] != texts[0]:
        reference = left[0] if re.fullmatch(r"-?\d+(?:\.\d+)?", left[0]) else repr(left[0])
        return f"C({name}, Treatment({reference}))"
    return f"C({name})"


_BESIDE = {
    "ordered": re.compile(r"\S+/\S+"),
    "negative-binomial": re.compile(r"/?(?:ln_?)?alpha|(?:[Ll]og\()?theta\)?"),
}
"""What stands among the terms of a model and is none of them: thresholds as statsmodels has them, dispersions."""


def is_beside(term: Term, kind: str) -> bool:
    """Whether a row of a model is none of its terms: a cut point, a dispersion."""
    named = _BESIDE.get(kind)
    cut = "|" in term.text or re.fullmatch(r"/?cut\d+", term.text) is not None
    return cut or (named is not None and named.fullmatch(term.text) is not None)
