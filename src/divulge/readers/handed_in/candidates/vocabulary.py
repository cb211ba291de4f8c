"""The names that a file may use: variables and values of the data, with the labels that file or schema give."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from divulge.table import Schema

_SAME: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "female females woman women f w frau frauen weiblich femme femmes mujer mujeres kvinnor kvinder girls",
        "male males man men m mann manner maenner mannlich maennlich homme hommes hombre hombres boys",
        "yes y ja oui si true 1 present",
        "no n nein non false 0 none absent",
        "sex gender geschlecht sexe sexo",
        "age alter edad",
        "marital maritalstatus familienstand civilstatus",
        "income einkommen revenu earnings",
        "education bildung educ schooling",
        "hypertension ht highbloodpressure",
    )
)
_UNITS = re.compile(r"\s*[\[(](?:[^()\[\]]*)[\])]\s*$")
_TAIL = re.compile(r",\s*(?:mean|median|n|no\.|years?|yrs?|kg|pln|usd|eur|£|\$|%|per|mg|ng|cm|score|sd|iqr).*$", re.I)


@lru_cache(maxsize=50_000)
def _plain(text: str) -> str:
    """A name without case, accents, spaces and signs: how names are compared."""
    spread = unicodedata.normalize("NFKD", text.replace("ß", "ss")).casefold()
    return re.sub(r"[^a-z0-9.%<>=+-]", "", spread).strip(".-")


@lru_cache(maxsize=50_000)
def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _plain(text))


def _same_meaning(a: str, b: str) -> bool:
    """Whether two words are the same, or translations and everyday words for one another."""
    x, y = _word(a), _word(b)
    return x == y or any(x in words and y in words for words in _SAME)


def _is_short_for(name: str, text: str) -> bool:
    """Whether a name abbreviates a text: educ for education, workab for works abroad."""
    short, full = _word(name), _word(text)
    if len(short) < 2 or len(full) <= len(short) or short[0] != full[0]:
        return False
    if full.startswith(short) and len(short) >= 3:
        return True
    words = re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", text).casefold())
    if len(short) >= 3 and "".join(w[0] for w in words) == short:
        return True
    if len(short) >= 4 and len(words) > 1 and short.startswith(words[0][:4]):
        rest = iter(full)
        return all(c in rest for c in short)
    common = 0
    while common < min(len(short), len(full)) and short[common] == full[common]:
        common += 1
    return common >= 4 and common >= len(short) - 2


def _are_parts_alike(one: str, other: str) -> bool:
    """Whether two labels of several parts are short for one another part by part: Lev+5FU and Levamisole + 5-FU."""
    parts = [[_word(p) for p in re.split(r"[+/&,]|\b(?:and|plus|und)\b", text)] for text in (one, other)]
    if len(parts[0]) != len(parts[1]) or len(parts[0]) < 2 or not all(parts[0] + parts[1]):
        return False
    pairs = list(zip(*parts, strict=True))
    return all(a == b or (min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a))) for a, b in pairs)


_CODED = re.compile(r"(\d{1,2})\s*[-–=:.)]?\s+(?!(?:to|or|and|plus|bis|oder|und|years?|yrs?)\b)[A-Za-z]{3,}")
"""A code before its label: `0 censored`, `1 = yes`; classes such as `30 to 44` are none."""


class Vocabulary:
    """Names of variables and of their values. labels: what the file calls the codes of a variable."""

    def __init__(
        self,
        schema: Schema | None = None,
        labels: Mapping[str, Mapping[str, str]] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self.schema = schema
        self.names: tuple[str, ...] = schema.names if schema is not None else ()
        self.labels = {k: dict(v) for k, v in (labels or {}).items()}
        self.titles = dict(titles or {})
        self._texts: dict[str, list[str]] = {}
        self._found: dict[str, str | None] = {}

    def with_words(self, labels: Mapping[str, Mapping[str, str]], titles: Mapping[str, str]) -> Vocabulary:
        """The same names with more labels."""
        merged = {**self.labels, **{k: {**self.labels.get(k, {}), **v} for k, v in labels.items()}}
        return Vocabulary(self.schema, merged, {**self.titles, **titles})

    def title(self, name: str) -> str | None:
        if name in self.titles:
            return self.titles[name]
        return None if self.schema is None or name not in self.names else self.schema[name].title

    def texts(self, name: str) -> list[str]:
        """The texts of a variable's values; none for one with many values."""
        if name not in self._texts:
            variable = self.schema[name] if self.schema is not None and name in self.schema.names else None
            few = variable is not None and variable.n_values <= 400
            self._texts[name] = variable.texts[: variable.n_values] if few and variable is not None else []
        return self._texts[name]

    def variable(self, text: str) -> str | None:
        """The variable that a text names exactly, by its name or its title."""
        if text not in self._found:
            if len(self._found) > 20_000:
                self._found.clear()
            self._found[text] = self._named(text) if self.names else None
        return self._found[text]

    def _named(self, text: str) -> str | None:
        bare = text.strip().strip("`'\"").strip()
        if bare in self.names:
            return bare
        bare = re.sub(r"^(?:\w+\$|df\.|data\.|d\.)(?=\w)", "", bare)
        found = [n for n in self.names if _plain(n) == _plain(bare)]
        found = found or [n for n in self.names if (t := self.title(n)) is not None and _plain(t) == _plain(bare)]
        return found[0] if len(found) == 1 else None

    def variables_like(self, text: str) -> list[str]:
        """Variables that a text may mean, the likeliest first."""
        exact = self.variable(text)
        if exact is not None:
            return [exact]
        # What stands in brackets may be a unit that is called as another variable is: Duration (days).
        short = _TAIL.sub("", _UNITS.sub("", text.strip())).strip()
        exact = self.variable(short)
        if exact is not None:
            return [exact]
        beside = re.search(r"[\[(]\s*([^()\[\]]+?)\s*[\])]\s*$", text)
        exact = self.variable(beside[1]) if beside is not None else None
        if exact is not None:
            return [exact]
        found: list[tuple[int, str]] = []
        words = re.findall(r"[A-Za-z][\w.]*", short)
        for name in self.names:
            title = self.title(name)
            if _same_meaning(name, short) or (title and _same_meaning(title, short)):
                found.append((0, name))
            elif any(_same_meaning(name, w) for w in words if len(w) > 2):
                found.append((1, name))
            elif (
                _is_short_for(name, short)
                or _is_short_for(short, name)
                or any(_is_short_for(name, w) for w in words if len(w) > 3)
            ) or (title and any(_word(w) == _word(title) for w in words)):
                found.append((2, name))
        return [n for _, n in sorted(found, key=lambda f: f[0])]

    def level(self, name: str, text: str) -> str | None:
        """The value of a variable that a label means, or None."""
        bare = text.strip().strip("'\"")
        bare = re.sub(rf"^{re.escape(name)}\s*(?:[=:.]+\s*|\s+)", "", bare)
        texts = self.texts(name)
        for code, label in self.labels.get(name, {}).items():
            if _plain(label) == _plain(bare) and (code in texts or not texts):
                return code
        if bare in texts:
            return bare
        try:
            number = float(bare)
            same = [t for t in texts if _number(t) == number]
            if same:
                return same[0]
        except ValueError:
            pass
        for t in texts:
            if _plain(t) and _plain(t) == _plain(bare):
                return t
        variable = self.schema[name] if self.schema is not None and name in self.names else None
        if variable is not None and variable.labels:
            for value, label in variable.labels.items():
                if _plain(label) == _plain(bare):
                    return str(value)
        coded = _CODED.match(bare)
        if coded is not None and coded[1] in texts:
            return coded[1]
        alike = [t for t in texts if _same_meaning(t, bare)]
        if len(alike) == 1 and len(texts) <= 3:
            return alike[0]
        joint = [t for t in texts if _are_parts_alike(t, bare)]
        if len(joint) == 1:
            return joint[0]
        near = [
            t
            for t in texts
            if len(_word(bare)) >= 4
            and (_word(t).startswith(_word(bare)) or (_word(bare).startswith(_word(t)) and len(_word(t)) >= 3))
        ]
        return near[0] if len(near) == 1 else None

    def levels(self, name: str, labels: Sequence[str]) -> dict[str, str] | None:
        """Each label's value, or None where some label is no value of the variable or two are the same."""
        if not self.texts(name):
            return None
        found = {label: self.level(name, label) for label in labels}
        if any(v is None for v in found.values()) or len(set(found.values())) != len(found):
            return None
        return {k: v for k, v in found.items() if v is not None}

    def with_levels(self, labels: Sequence[str]) -> list[str]:
        """The variables of which all labels are values."""
        return [n for n in self.names if self.levels(n, labels) is not None]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
