"""What people and programs call a statistic, in one vocabulary."""

from __future__ import annotations

import re

_COLUMNS: tuple[tuple[str, str], ...] = (
    # Regressions: what the headers of coefficients say, most particular first.
    (r"exp\(coef\) lower 95%", "exp lower 95%"),
    (r"exp\(coef\) upper 95%", "exp upper 95%"),
    (r"coef lower 95%", "lower 95%"),
    (r"coef upper 95%", "upper 95%"),
    (r"exp\(-coef\)", "exp(-coefficient)"),
    (r"exp\(coef\)|Haz\. ?[Rr]atio|HR|Hazard [Rr]atio", "hazard ratio"),
    (r"se\(coef\)|robust se", "standard error"),
    (
        r"\[\d\d% ?[Cc]on ?f\. ?[Ii]nterval\]|\[0\.025\s+0\.975\]|Lower CI\s+Upper CI|lower \.95\s+upper \.95"
        r"|2\.5 ?%\s+97\.5 ?%"
        r"|[Ll]ower 95% CI\s+[Uu]pper 95% CI|0\.95LCL\s+0\.95UCL|conf\.low\s+conf\.high|\[95% CI\]|lwr\s+upr",
        "interval",
    ),
    (r"\[?0\.025|2\.5 ?%|conf\.low|CI lower|[Ll]ower\.?(?: ?(?:95%|CI|[Bb]ound))*|lwr|ci_low|Untere", "lower 95%"),
    (r"0\.975\]?|97\.5 ?%|conf\.high|CI upper|[Uu]pper\.?(?: ?(?:95%|CI|[Bb]ound))*|upr|ci_high|Obere", "upper 95%"),
    (
        r"(?:Robust )?[Ss]td\.? ?[Ee]rr(?:or)?s?\.?|S\.E\.|s\.e\.|std err|SE|std\.error|St\.? ?Error"
        r"|Standardfehler|[Ee]rro padrão|[Ee]rror (?:est[áa]ndar|t[íi]pico)|[Ee]rreur[- ](?:standard|type)",
        "standard error",
    ),
    (
        r"[Oo]dds [Rr]atio|[Rr]apport de cotes|[Rr]az[ãa]o de (?:chances|possibilidades)"
        r"|[Rr]az[óo]n de (?:momios|posibilidades)|OR|aOR|Exp\(B\)|AOR",
        "odds ratio",
    ),
    (r"IRR|aIRR|[Rr]ate [Rr]atio|RR", "rate ratio"),
    (r"RRR", "relative risk ratio"),
    (
        r"Pr\(>\|?[tz]\|?\)|P>\s?\|[tz]\||Pr\(>F\)|Pr\(>Chi(?:sq)?\)|[Pp][- ]?[Vv]alues?|p\.value|p adj"
        r"|Sig\.(?: \(2-tailed\))?|P>\|?[tz]\|?|p",
        "p-value",
    ),
    (r"t[ -][Vv]alue|[Tt]-stat(?:istic)?s?|t-ratio|statistic|t", "t"),
    (r"z[ -][Vv]alue|z-stat|z", "z"),
    (
        r"log\((?:OR|HR|IRR|RR)\)|Coefficients?|Coef\.?|coefs?|coefficients?|Estimates?|estimate"
        r"|Parameter|Value(?=\s+Std)|B|b|β|Koeff(?:izient)?\.?"
        r"|[Cc]oeficientes?",
        "coefficient",
    ),
    (r"dy/dx|ey/ex|AME", "marginal effect"),
    (r"Wald", "Wald"),
    (r"Beta", "beta"),
    (r"df|Df", "df"),
)

_COLUMN = re.compile("|".join(f"(?P<w{i}>(?<![\\w.])(?:{p})(?![\\w]))" for i, (p, _) in enumerate(_COLUMNS)))


def column_words(header: str) -> list[str]:
    """The columns that a header line of coefficients names, from left to right; an interval is two."""
    found = []
    for match in _COLUMN.finditer(header):
        word = _COLUMNS[int(str(match.lastgroup)[1:])][1]
        found += ["lower 95%", "upper 95%"] if word == "interval" else [word]
    return found


def column_word(cell: str) -> str | None:
    """The column that one header cell names, or None."""
    bare = re.sub(r"\s+", " ", cell.strip().strip("*").strip())
    match = _COLUMN.fullmatch(bare) or _COLUMN.fullmatch(re.sub(r"\s*\(.*\)$", "", bare))
    return None if match is None else _COLUMNS[int(str(match.lastgroup)[1:])][1]


INTERCEPT = re.compile(
    r"^\(?(?:intercept|const(?:ant[e]?)?|_cons|konstante|ordonnée à l'origine|achsenabschnitt)\)?$", re.I
)
"""What programs call the constant of a model."""

RATIO = {
    "logistic": "odds ratio",
    "poisson": "rate ratio",
    "negative-binomial": "rate ratio",
    "cox": "hazard ratio",
}
"""What the exponential of a coefficient is called, by the kind of its model."""

_STATISTICS: tuple[tuple[str, str], ...] = (
    (
        r"valid n|n valid|obs\.?|observations?|no\.? of obs(?:ervations)?|count|n|nobs|cases|anzahl|fälle|faelle"
        r"|freq\.?|effectifs?|frecuencias?|fr[ée]quences?|frequ[êe]ncias?|häufigkeit|observaciones"
        r"|observaç(?:ões|oes)"
        r"|beobachtungen|nombre|n[úu]mero|n[º°]\.?"
        r"|number|no\.|n\(.*\)|unweighted n|n einkommen|sum_?w",
        "n",
    ),
    (r"mean ?[_,(±+/ -]+ ?(?:s\.?d\.?|std\.?(?: ?dev\.?)?)\)?", "mean"),
    (r"median ?[_,(\[ ]+ ?(?:iqr|q1.*|p25.*|25.*)[)\]]?", "median"),
    (r"n ?[_,(\[ ]+ ?%[)\]]?", "n"),
    (
        r"mean|average|avg\.?|mittelwert|durchschnitt|moyenne|moy\.?|m[ée]dia(?: aritm[ée]tica)?"
        r"|mw|x̄|mean value|arithmetic mean",
        "mean",
    ),
    (
        r"s\.?d\.?|std\.?|std\.? ?dev\.?(?:iation)?|standard ?-?deviation|std\.?-?\s?abw\.?|standardabweichung|sd"
        r"|[ée]cart[- ]type|[ée]\.?[- ]?t\.?|stddev"
        r"|st\.? ?dev\.?|std deviation"
        r"|desv(?:\.|iaci[óo]n|io)? ?(?:t[íi]p(?:\.|ica)?|est(?:\.|[áa]ndar)?|pad(?:\.|r[ãa]o)?)|d\.?e\.?|d\.?p\.?",
        "sd",
    ),
    (r"var|variance|varianz|varian[zcç][ai]a?", "variance"),
    (r"s\.?e\.?(?: of)? ?(?:mean)?|sem|se", "standard error"),
    (r"s\.?e\.? ?(?:of )?skew(?:ness)?", "standard error of skewness"),
    (r"s\.?e\.? ?(?:of )?kurt(?:osis)?", "standard error of kurtosis"),
    (r"median|med\.?|p50|50 ?%|q2|zentralwert|m[ée]diane|mediana|50th percentile|q50", "median"),
    (r"min\.?|m[íi]nim(?:um|o|ale?)|lowest|0 ?%|kleinster wert", "minimum"),
    (r"max\.?|m[áa]xim(?:um|o|ale?)|highest|100 ?%|größter wert", "maximum"),
    (
        r"1st qu\.?|q1|p25|25 ?%|lower quartile|first quartile|25th percentile|q25"
        r"|(?:1er|1[º°.]|primer|premier|unteres) ?q[uc]artile?[ls]?",
        "first quartile",
    ),
    (
        r"3rd qu\.?|q3|p75|75 ?%|upper quartile|third quartile|75th percentile|q75"
        r"|(?:3er?|3[eº°.]|3[èe]me|tercer|troisi[èe]me|oberes) ?q[uc]artile?[ls]?",
        "third quartile",
    ),
    (r"iqr|iq range|interquartile range", "interquartile range"),
    (r"trimmed(?: mean)?", "trimmed mean"),
    (r"mad", "median absolute deviation"),
    (r"vars", "place"),
    (r"range|min ?[-–/,] ?max|min ?[_ ] ?max|minimum ?[-–] ?maximum", "range"),
    (r"skew(?:ness)?|schiefe", "skewness"),
    (r"ex(?:\.|cess)? ?kurt(?:osis)?|exzess", "excess kurtosis"),
    (r"kurt(?:osis)?|wölbung", "kurtosis"),
    (r"c\.?v\.?|coefficient of variation", "coefficient of variation"),
    (r"total sum|sum of values", "sum"),
    (r"missing(?: obs\.?)?|n missing|fehlend|manquante?s?|omissos|perdidos|unknown|nas?|na's", "missing"),
    (
        r"%|per ?cent(?:age)?s?|prozent|anteil(?: in %| \(%\)| \[%\])?|po[ru]c(?:entaje|entagem|entage)|percentagem"
        r"|pct\.?|in %|share|row ?%|col(?:umn)? ?%"
        r"|percent of total|total ?%",
        "percentage",
    ),
    (r"valid per ?cent", "valid percentage"),
    (r"cum(?:ulative)?\.? ?(?:per ?cent|%)?", "cumulative percentage"),
    (r"mode(?:_aggfunc)?", "mode"),
)

_PERCENTILE = re.compile(r"^(?:p|q)?(\d{1,2}(?:\.\d+)?)(?:th|st|nd|rd)?\s?(?:%|perc(?:entile|\.)?|% perc\.)?$", re.I)


def statistic_word(text: str) -> str | None:
    """The statistic that a header or a row names (mean, sd, n, percentile …), or None."""
    bare = re.sub(r"\s+", " ", text.strip().strip("*:").strip()).casefold()
    for pattern, word in _STATISTICS:
        if re.fullmatch(pattern, bare):
            return word
    match = _PERCENTILE.match(bare)
    if match and (re.search(r"[pq%]|th|st$|nd$|rd$|perc", bare)) and 0 < float(match[1]) < 100:
        return _percentile(float(match[1]))
    if re.fullmatch(r"0?\.\d{1,3}0*", bare) and 0 < float(bare) < 1:
        return _percentile(100 * float(bare))
    return None


def _percentile(at: float) -> str:
    named = {25.0: "first quartile", 50.0: "median", 75.0: "third quartile"}
    return named.get(at, f"percentile {at:g}")


TOTALS = frozenset(
    {
        "total",
        "all",
        "sum",
        "totals",
        "overall",
        "gesamt",
        "summe",
        "insgesamt",
        "tot.",
        "ensemble",
        "toutes",
        "margin",
        "both",
    }
)


_MISSING = re.compile(
    r"^(?:\(?missing\)?|<?NA>?|n/?a|nan|\.|none|unknown|not (?:known|stated|available)|fehlend|k\. ?A\.|\(blank\))?$",
    re.I,
)


def is_missing(text: str) -> bool:
    """Whether a label stands for people without a value; R leaves it empty where the file of data does."""
    return _MISSING.match(text.strip()) is not None


def is_total(label: str) -> bool:
    """Whether a label is that of a margin."""
    return label.strip().strip("*").casefold() in TOTALS


_FIT: tuple[tuple[str, str], ...] = (
    (
        r"(?:no\.|number) (?:of )?obs(?:ervations|\.)?|n(?:obs)?|observations|num\.? ?obs\.?|n used"
        r"|beobachtungen|unweighted n",
        "n",
    ),
    (
        r"adj(?:usted|\.)? ?r-?(?:²|2|squared|square)\.?|adj\.r\.squared|(?:r²|r-squared|r2) adj(?:usted|\.)?",
        "adjusted r-squared",
    ),
    (r"(?:multiple )?r-?\s?(?:²|2|squared|square)|r\.squared|r-sq\.?", "r-squared"),
    (r"(?:mcfadden(?:'s)? |pseudo )r-?\s?(?:²|2|squared?|squ\.|square)", "pseudo r-squared"),
    (r"within r-?(?:sq(?:uared)?\.?|²)|r-squared \(within\)", "within r-squared"),
    (r"f(?:[ -]statistic)?|f\(\s*\d+,\s*\d+\)|f-stat\.?", "F"),
    (r"log[ -]?(?:pseudo)?-?likelihood|log\.?[ -]?lik\.?|ll|llf", "log-likelihood"),
    (r"aic|akaike(?: criterion)?|akaike inf\. crit\.", "AIC"),
    (r"bic|schwarz(?: criterion)?", "BIC"),
    (r"root mse|rmse", "root mean squared error"),
    (r"residual std\. error|residual standard error|sigma|s\.e\. of regression", "residual standard error"),
    (r"groups|number of groups|entities", "groups"),
    (r"deviance|residual deviance", "deviance"),
    (r"df\.residual|df residual", "residual df"),
    (r"p\.value", "p-value"),
    (r"statistic", "F"),
    (r"df", "df"),
    (r"null\.deviance", "null deviance"),
    (r"df\.null", "null df"),
)


def fit_word(text: str) -> str | None:
    """The statistic of a whole model that a row names (N, R², AIC …), or None."""
    bare = re.sub(r"\s+", " ", text.strip().strip(":*$").strip()).casefold().replace("r^2", "r²").replace("$", "")
    for pattern, word in _FIT:
        if re.fullmatch(pattern, bare):
            return word
    return None


def split_statistic(path: tuple[str, ...]) -> tuple[str, str | None]:
    """A header path as what it is of and which statistic: (`large`, percentage) of `large %`."""
    if not path:
        return "", None
    last = re.sub(r"\s*\((?:\$|£|€|[A-Za-z]{2,12}|[A-Za-z]+/[A-Za-z]+)\)$", "", path[-1])
    word = statistic_word(last)
    if word is not None:
        return " / ".join(path[:-1]), word
    above = next((k for k, t in enumerate(path[:-1]) if statistic_word(t) not in (None, "n", "percentage")), None)
    if above is not None:
        return " / ".join([*path[:above], *path[above + 1 :]]), statistic_word(path[above])
    spread = re.match(
        r"^(.*?[^\s,(])[\s,]*[\s(\[](mean|median)\s*(?:±|\+/-|[(\[,])\s*(?:SD|sd|IQR)[\s)\]]*$", last, re.I
    )
    if spread is not None:
        return " / ".join([*path[:-1], spread[1]]), spread[2].casefold()
    both = re.match(r"^(.*?[^\s,.:_])[\s,.:_]+[nN]\s*[(\[]%[)\]]$", last)
    if both is not None:
        return " / ".join([*path[:-1], both[1]]), "n"
    match = re.match(
        r"^(.*?\S)[\s,.:_]+\(?(n|N|%|in %|mean|sd|SD|median|min|max|p\d\d?|percent|count|freq\.?)\)?$", last
    )
    if match is not None:
        return " / ".join([*path[:-1], match[1]]), statistic_word(match[2])
    match = re.match(r"^(n|N|%|mean|Mean|SD|sd|median|Median)[\s_.:]+(.*\S)$", last)
    if match is not None and len(last) < 30 and column_word(last) is None and "(" not in last:
        return " / ".join([*path[:-1], match[2]]), statistic_word(match[1])
    return " / ".join(path), None
