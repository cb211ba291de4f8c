"""Numbers as a spreadsheet shows them: `0.0%`, `#,##0.00`, `0.00E+00`, and the formats that have only a number."""

from __future__ import annotations

import re

_BUILT_IN = {
    "1": "0",
    "2": "0.00",
    "3": "#,##0",
    "4": "#,##0.00",
    "9": "0%",
    "10": "0.00%",
    "11": "0.00E+00",
    "37": "#,##0",
    "38": "#,##0",
    "39": "#,##0.00",
    "40": "#,##0.00",
    "48": "0.0E+0",
}


def shown(value: str, code: str) -> str:
    """A stored number as its format shows it; dates and formats that are not known leave it as it is stored."""
    try:
        number = float(value)
    except ValueError:
        return value
    form = _BUILT_IN.get(code, "" if code.isdigit() else code).split(";")[0]
    if form in ("", "General", "@"):
        return _general(number)
    literal = re.sub(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]', "", form)
    if re.search(r"[ymdhs]", literal, re.IGNORECASE) and "0" not in literal:
        return value
    digits = re.search(r"[0#?](?:[0#?,.]*[0#?])?", literal)
    if digits is None:
        return _general(number)
    decimals = len(re.sub(r"[^0?#]", "", digits[0].partition(".")[2]))
    percent = "%" in literal
    if re.search(r"E[+-]", literal):
        return f"{number:.{decimals}E}"
    scaled = number * 100 if percent else number
    grouped = "," in digits[0].partition(".")[0]
    text = f"{scaled:,.{decimals}f}" if grouped else f"{scaled:.{decimals}f}"
    return text + ("%" if percent else "")


def _general(number: float) -> str:
    """Up to eleven significant digits, as a cell without a format shows."""
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.11g}"
