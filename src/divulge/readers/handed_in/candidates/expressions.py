"""Conditions and expressions of R, Stata, SPSS and Python in one way of writing. They are rewritten, never run."""

from __future__ import annotations

import re

_COMPARISONS = (("GE", ">="), ("LE", "<="), ("GT", ">"), ("LT", "<"), ("EQ", "=="), ("NE", "!="))
_NAME = r"[A-Za-z_][\w.]*"


def as_condition(text: str) -> str:
    """A condition in the words of R, Stata, SPSS or Python as our conditions are written."""
    out = text.strip().strip("()") if text.count("(") == 1 and text.strip().startswith("(") else text.strip()
    out = _without_frame(out)
    out = _asked(out)
    out = _joined(out)
    out = re.sub(r"(?<![<>=!~])=(?!=)", "==", out).replace("~=", "!=")
    return re.sub(r"\s+", " ", out).strip().rstrip(".")


def as_expression(text: str) -> str:
    """An expression of variables in Python's words: what `matching.derive` goes through node by node."""
    out = _without_frame(text.strip())
    out = re.sub(r"\bas\.(?:numeric|integer|logical)\(|\bas\.(?:character|factor)\(", "(", out)
    out = re.sub(r"\b(?:np|numpy|pd|pandas|math)\.", "", out)
    out = re.sub(r"\.(?:astype|cat\.\w+)\([^()]*\)", "", out)
    out = re.sub(r"%in%", " in ", out)
    out = re.sub(r"(?<=[\w)\]'\"])\s*\^\s*", "**", out)
    out = _joined(re.sub(r"!(?!=)", " not ", out))
    # R's names may have dots: an attribute of a name that is followed by no bracket.
    out = re.sub(rf"({_NAME})(?!\w|\s*\()", lambda m: m[1].replace(".", "__dot__") if "." in m[1] else m[1], out)
    out = re.sub(rf"({_NAME})(?=\s*\()", lambda m: re.sub(r"\.(?=\w)", "__dot__", m[1]), out)
    return re.sub(r"(?<![<>=!~(,\w\s])\s=\s(?!=)", " == ", out).strip()


def _without_frame(text: str) -> str:
    """Columns without the frame that they are of: `d$age`, `df['age']`, `df.age`."""
    out = re.sub(r"\b[\w.]+\$(?=[\w`])", "", text)
    out = re.sub(r"\b\w+\[\[?['\"]([\w.]+)['\"]\]\]?", r"\1", out)
    return re.sub(r"\b(?:df|data|d|dat)\.(?=[A-Za-z_]\w*\b(?!\())", "", out)


def _asked(text: str) -> str:
    """Questions to a variable: whether it is missing, in a list, in a range."""
    out = re.sub(
        rf"(!|~)?\s*\b(?:is\.na|is\.null|missing|isna|MISSING|SYSMIS)\(\s*({_NAME})\s*\)",
        lambda m: f"{m[2]} is {'not ' if m[1] else ''}missing",
        text,
    )
    out = re.sub(rf"\bok\(\s*({_NAME})\s*\)", r"\1 is not missing", out)
    out = re.sub(rf"\b({_NAME}?)\.(notna|notnull|isna|isnull)\(\)", _missing, out)
    out = re.sub(rf"~\s*({_NAME}) is (not )?missing", lambda m: f"{m[1]} is {'' if m[2] else 'not '}missing", out)
    out = re.sub(rf"\b({_NAME})\s*%in%\s*(?:c\(([^()]*)\)|(-?\d+):(-?\d+))", _among, out)
    out = re.sub(rf"\b({_NAME}?)\.isin\(\s*[\[(]([^\])]*)[\])]\s*\)", r"\1 in (\2)", out)
    out = re.sub(rf"\b(?:inlist|ANY|any)\(\s*({_NAME})\s*,([^()]*)\)", r"\1 in (\2)", out)
    out = re.sub(
        rf"\b(?:inrange|RANGE|range)\(\s*({_NAME})\s*,\s*([^(),]+),\s*([^(),]+)\)", r"(\1 >= \2 and \1 <= \3)", out
    )
    out = re.sub(rf"\b({_NAME}?)\.between\(\s*([^(),]+),\s*([^(),]+)\)", r"(\1 >= \2 and \1 <= \3)", out)
    return re.sub(r"!\s*(?=\()", "not ", out)


def _missing(match: re.Match[str]) -> str:
    return f"{match[1]} is {'not ' if match[2].startswith('not') else ''}missing"


def _among(match: re.Match[str]) -> str:
    if match[2] is not None:
        return f"{match[1]} in ({match[2]})"
    return f"({match[1]} >= {match[3]} and {match[1]} <= {match[4]})"


def _joined(text: str) -> str:
    """`&`, `|` and SPSS' words as and, or, not and signs."""
    out = text.replace("&&", " and ").replace("||", " or ")
    out = re.sub(r"\s*&\s*", " and ", out)
    out = re.sub(r"(?<![|])\s*\|\s*(?![|])", " or ", out)
    out = re.sub(r"\bAND\b", "and", re.sub(r"\bOR\b", "or", re.sub(r"\bNOT\b", "not", out)))
    for word, sign in _COMPARISONS:
        out = re.sub(rf"\b{word}\b", sign, out)
    return out


def split_arguments(inner: str) -> list[str]:
    """What stands between the outermost commas of a call."""
    parts, depth, quote, held = [], 0, "", ""
    for c in inner:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        depth += 0 if quote else (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and not quote:
            parts.append(held.strip())
            held = ""
        else:
            held += c
    return [*parts, held.strip()]


def stata_condition(text: str) -> str:
    """A condition as Stata means it: a missing value is larger than every number."""
    out = as_condition(text)
    out = re.sub(
        r"!\s*missing\((\w+)\)|\b(\w+)\s*!=\s*\.(?!\d)|\b(\w+)\s*<\s*\.(?!\d)",
        lambda m: f"not {m[1] or m[2] or m[3]} is missing",
        out,
    )
    return (
        re.sub(r"(?<!not )\b([A-Za-z_]\w*)\s*(>=?)\s*(-?[\d.]+)", r"(\1 \2 \3 or \1 is missing)", out)
        if "is missing" not in out
        else out
    )
