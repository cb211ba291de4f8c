"""Statements of a session that say something of the data: labels, recodes, new variables, selections, weights.

They are read, never run; what is not understood is left alone.
"""

from __future__ import annotations

import itertools
import re

from divulge.readers.handed_in.candidates.expressions import (
    as_condition,
    as_expression,
    split_arguments,
    stata_condition,
)
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session, conditions

_QUOTED = r"['\"]([^'\"]*)['\"]"


_FRAME = r"[A-Za-z][\w.]*"


def note_r(text: str, session: Session) -> None:
    """An R statement."""
    assigned = re.match(rf"^\s*({_FRAME}(?:\$[\w.]+|\[\[?['\"][\w.]+['\"]\]?\])?)\s*(?:<-|=)\s*(.+)$", text, re.DOTALL)
    if assigned is None:
        return
    target, value = assigned[1], assigned[2].strip()
    name = re.sub(r"^.*\$|^.*\[\[?['\"]|['\"]\]\]?$", "", target)
    if "$" in target or "[" in target:
        _r_column(name, value, session)
    elif re.match(r"^(?:\w+::)?(?:read|fread|load|import|haven)[.\w]*\(", value):
        if name not in session.frames:
            session.derived = {} if not session.frames else session.derived
        session.frame(name, "")
        _, *steps = re.split(r"\s*(?:%>%|\|>)\s*", value)
        if steps:
            _r_frame(name, " %>% ".join([name, *steps]), session)
    elif not _r_frame(name, value, session):
        session.objects[name] = value


def _r_column(name: str, value: str, session: Session) -> None:
    """A column that a statement makes: a factor of another one, or an expression."""
    factor = re.match(r"^(?:as\.)?(?:ordered|factor)\((?:[\w.]+\$)?([\w.]+)(?:,\s*(.*))?\)$", value, re.DOTALL)
    if factor is not None:
        _factor(name, factor[1], factor[2] or "", session)
        return
    releveled = re.match(r"^relevel\((?:(?:as\.)?factor\()?(?:[\w.]+\$)?([\w.]+)\)?\s*,", value)
    if releveled is not None:
        _factor(name, releveled[1], "", session)
    elif re.search(r"\$|[-+*/<>=(]", value):
        session.derived[name] = as_expression(value)


def _r_frame(name: str, value: str, session: Session) -> bool:
    """A frame made of another one: with fewer rows, with new columns, or as it is."""
    if re.fullmatch(_FRAME, value) and value in session.frames:
        session.frame(name, value)
        return True
    piped = re.split(r"\s*(?:%>%|\|>)\s*", value)
    if len(piped) > 1 and re.fullmatch(_FRAME, piped[0]):
        steps = [re.match(r"^(?:\w+::)?([\w.]+)\((.*)\)$", p, re.DOTALL) for p in piped[1:]]
        if not all(step and step[1] in STEPS for step in steps):
            return False
        session.frame(name, piped[0])
        for step in steps:
            if step is not None:
                _r_step(name, step[1], split_arguments(step[2]), session)
        return True
    complete = re.match(rf"^({_FRAME})\[\s*complete\.cases\((.*)\)\s*,[^\]]*\]$", value)
    if complete is not None:
        named = re.findall(r"['\"]([\w.]+)['\"]|\$([\w.]+)", complete[2])
        session.frame(name, complete[1], _known([a or b for a, b in named], session))
        return True
    rows = re.match(rf"^({_FRAME})\[\s*(.+?)\s*,[^\]]*\]$", value)
    if rows is not None and not re.match(r"^-?\d|^order\(|^complete\.cases\(|^sample", rows[2]):
        session.frame(name, rows[1], as_condition(rows[2]))
        return True
    call = re.match(r"^(?:dplyr::)?(\w+(?:\.omit)?)\((.*)\)$", value, re.DOTALL)
    given = split_arguments(call[2]) if call is not None else []
    if call is None or call[1] not in STEPS or not re.fullmatch(_FRAME, given[0]):
        return False
    session.frame(name, given[0])
    _r_step(name, call[1], given[1:], session)
    return True


STEPS = frozenset(
    {"na.omit", "drop_na", "subset", "filter", "mutate", "transform", "select", "arrange", "as_tibble", "droplevels"}
)


def _r_step(name: str, function: str, given: list[str], session: Session) -> None:
    """One step of a frame: the rows that it keeps, or the columns that it adds."""
    if function in ("na.omit", "drop_na"):
        session.frame(name, name, _known(given if function == "drop_na" else [], session))
        return
    for part in given:
        named = re.match(r"^([\w.]+)\s*=(?!=)\s*(.+)$", part, re.DOTALL)
        if function in ("mutate", "transform") and named is not None:
            _r_column(named[1], named[2].strip(), session)
        elif function == "filter" or (function == "subset" and (named is None or named[1] == "subset")):
            session.frame(name, name, as_condition(named[2] if named is not None else part))


def _known(names: list[str], session: Session) -> str:
    """The condition that these variables are known, or all that may be missing where none is named."""
    schema = session.words.schema
    asked = [n for n in names if n] or [v.name for v in (schema.variables if schema else ()) if v.missing]
    shown = (n if re.fullmatch(r"[A-Za-z_]\w*", n) else f"`{n}`" for n in asked)
    return " and ".join(f"{n} is not missing" for n in shown)


def _factor(name: str, source: str, rest: str, session: Session) -> None:
    levels = re.search(r"levels\s*=\s*c\(([^)]*)\)", rest)
    labels = re.search(r"labels\s*=\s*c\(([^)]*)\)", rest)
    if source != name:
        session.aliases[name] = source
    if labels is None:
        return
    shown = re.findall(_QUOTED, labels[1])
    codes = re.findall(r"[-\w.]+|'[^']*'|\"[^\"]*\"", levels[1]) if levels else session.words.texts(source)
    session.labels[source] = {c.strip("'\""): label for c, label in zip(codes, shown, strict=False)}


def note_stata(text: str, session: Session) -> None:
    """A Stata command."""
    bare = re.sub(r"^(?:(?:qui(?:etly)?|cap(?:ture)?|noi(?:sily)?)\s+)+", "", text)
    if _stata_column(bare, session):
        return
    kept = re.match(r"^(keep|drop)\s+if\s+(.+)$", bare)
    if kept is not None:
        condition = stata_condition(kept[2])
        session.restrict(condition if kept[1] == "keep" else f"not ({condition})")
        return
    label = re.match(r"^la(?:bel)?\s+de(?:fine)?\s+(\w+)\s+(.+?)(?:,.*)?$", text)
    if label is not None:
        session.labels[label[1]] = dict(re.findall(r"(-?\d+)\s+\"([^\"]*)\"", label[2]))
    titled = re.match(r"^la(?:bel)?\s+var(?:iable)?\s+(\w+)\s+\"([^\"]*)\"", text)
    if titled is not None:
        session.titles[titled[1]] = titled[2]
    panel = re.match(r"^(?:xt|ts)set\s+(\w+)(?:\s+(\w+))?", text)
    if panel is not None:
        session.panel = tuple(p for p in panel.groups() if p)
    if re.match(r"^(?:sysuse|use|import|insheet|clear)\b", text):
        session.clear()


_NUMBERS = {"min": "-inf", "lo": "-inf", "lowest": "-inf", "max": "inf", "hi": "inf", "highest": "inf"}


def _stata_column(text: str, session: Session) -> bool:
    """A variable that a command makes: generate, replace, recode into a new one, egen cut."""
    made = re.match(
        r"^(g(?:en(?:erate)?)?|egen|replace)\s+(?:(?:byte|int|long|float|double|str\d*)\s+)?(\w+)\s*=\s*(.+)$", text
    )
    if made is not None:
        cut = re.match(r"^cut\((\w+)\)\s*,\s*at\(([^)]*)\)", made[3])
        if cut is not None:
            limits = _listed(cut[2])
            steps = ", ".join(f"{a}, {b} - 1e-9, {a}" for a, b in itertools.pairwise(limits))
            session.derived[made[2]] = f"recode_ranges({cut[1]}, {steps})"
            return True
        value, _, condition = re.sub(r",\s*(?:label|nolabel).*$", "", made[3]).partition(" if ")
        expression = as_expression(value.strip() if value.strip() != "." else "nan")
        if condition:
            before = f"({session.derived[made[2]]})" if made[1] == "replace" and made[2] in session.derived else "nan"
            expression = f"cond({as_expression(condition)}, {expression}, {before})"
        session.derived[made[2]] = expression
        return True
    recoded = re.match(r"^recode\s+(\w+)\s+(.+?)\s*,\s*(?:.*\s)?gen(?:erate)?\(\s*(\w+)\s*\)", text)
    if recoded is not None:
        ranges, labels = _ranges(recoded[2], r"/")
        session.derived[recoded[3]] = f"recode_ranges({recoded[1]}, {ranges})"
        session.labels[recoded[3]] = labels
    return recoded is not None


def _listed(text: str) -> list[str]:
    """Numbers as Stata lists them: `0(10)50 100`, `0 18 65`."""
    out: list[str] = []
    for part in re.split(r"[\s,]+(?![^()]*\))", text.strip()):
        steps = re.fullmatch(r"(-?[\d.]+)\(([\d.]+)\)(-?[\d.]+)", part)
        if steps is None:
            out.append(part)
            continue
        low, step, high = (float(g) for g in steps.groups())
        count = int((high - low) / step + 1.5) if step > 0 else 0
        out += [f"{low + k * step:g}" for k in range(min(count, 200))]
    return out


def _ranges(text: str, between: str) -> tuple[str, dict[str, str]]:
    """The rules of a recode as low, high, new; and the labels that it gives to new values."""
    out: list[str] = []
    labels: dict[str, str] = {}
    for rule in re.findall(r"\(([^()]*)\)", text):
        old, _, new = rule.partition("=")
        named = re.match(r"^\s*(\S+)\s+[\"']([^\"']*)[\"']", new)
        to = (named[1] if named else new).strip().strip("'\"")
        if named is not None:
            labels[named[1]] = named[2]
        to = "'copy'" if to.casefold() == "copy" else "nan" if to.casefold() in (".", "sysmis") else to
        values = [v for v in re.split(r"\s+(?!thru)(?<!thru )|,", old.strip(), flags=re.I) if v]
        for value in (
            [old.strip()] if re.search(between, old, re.I) or old.strip().casefold() in ("else", "*") else values
        ):
            low, *high = re.split(rf"\s*{between}\s*", value.strip(), flags=re.I)
            if low.casefold() in ("else", "*"):
                out.append(f"-inf, inf, {to}")
            elif low.casefold() not in ("missing", "sysmis", "."):
                low = _NUMBERS.get(low.casefold(), low)
                out.append(f"{low}, {_NUMBERS.get(high[0].casefold(), high[0]) if high else low}, {to}")
    return ", ".join(out), labels


def note_gretl(text: str, session: Session) -> None:
    """A gretl command."""
    text = _gretl_codes(text, session)
    made = re.match(r"^(?:series|genr|scalar)\s+(\w+)\s*=\s*(.+)$", text)
    if made is not None:
        session.derived[made[1]] = as_expression(re.sub(r"(?<![<>=!])=(?!=)", "==", made[2]))
    limited = re.match(r"^smpl\s+(.+?)\s*--restrict", text)
    if limited is not None and "--replace" in text:
        session.where = as_condition(limited[1])
    elif limited is not None:
        session.restrict(as_condition(limited[1]))
    elif re.match(r"^smpl\s+(?:full|--full)|^open\b", text):
        session.where = None
    panel = re.match(r"^setobs\s+(\w+)\s+(\w+)\s+--panel-vars", text)
    if panel is not None:
        session.panel = (panel[1], panel[2])


def _gretl_codes(text: str, session: Session) -> str:
    """A command in which texts that are compared with numbers are their codes: gretl counts them as they appear."""
    is_state = text.startswith("smpl")
    for name in dict.fromkeys(re.findall(r"([A-Za-z_]\w*)\s*(?:[=!<>]=?)\s*\d", text)):
        texts = session.words.texts(name)
        if not texts or all(parse_number(t) is not None for t in texts):
            continue
        shown = f"{name}__code" if is_state else f"by_appearance({name})"
        if is_state:
            session.derived[shown] = f"by_appearance({name})"
        text = re.sub(rf"(?<!\w){name}(?=\s*[=!<>]=?\s*\d)", shown, text)
    return text


def note_spss(text: str, session: Session) -> None:
    """The statements of an SPSS or PSPP syntax file."""
    for statement in re.split(r"\.\s*(?:\n|$)", text):
        words = " ".join(statement.split())
        command = words.upper()
        if command.startswith("GET DATA"):
            _spss_columns(words, session)
        elif command.startswith("VALUE LABELS"):
            for part in re.split(r"\s*/\s*", words[12:].strip()):
                names = re.match(r"^((?:\w+\s+)+?)(?=-?[\d'\"])", part + " ")
                pairs = re.findall(r"(-?[\d.]+|'[^']*'|\"[^\"]*\")\s+['\"]([^'\"]*)['\"]", part)
                for name in names[1].split() if names else []:
                    _spss_labels(name, {c.strip("'\""): label for c, label in pairs}, session)
        elif command.startswith("VARIABLE LABELS"):
            for name, title in re.findall(r"/?\s*(\w+)\s+['\"]([^'\"]*)['\"]", words[15:]):
                column = session.aliases.get(name, name)
                session.titles[column if name in session.objects.get("spss columns", "").split() else name] = title
        elif command.startswith("RECODE") and " INTO " in command:
            _recode(words, session)
        elif command.startswith(("SELECT IF", "WEIGHT", "FILTER")):
            _spss_state(words, session)
        elif command.startswith("COMPUTE"):
            made = re.match(r"COMPUTE\s+(\w+)\s*=\s*(.+)$", words, re.I)
            if made is not None:
                expression = re.sub(r"(?<![<>=!~])=(?!=)", "==", _by_columns(made[2], session))
                session.derived[made[1]] = as_expression(expression.replace("~=", "!="))
        elif command.startswith(("IF ", "IF(")):
            _spss_if(words, session)
        else:
            dependent = re.match(r"LOGISTIC REGRESSION\s+(?:/?VARIABLES\s*=?\s*)?(\w+)\s+WITH", words, re.I)
            if dependent is not None:
                session.objects["logistic response"] = dependent[1]
            if re.match(r"ONEWAY|NPAR TESTS|UNIANOVA|EXAMINE", words, re.I):
                named = re.findall(r"(\w+)\s+BY\s+(\w+)", words, re.I)
                session.objects["spss groups"] = session.objects.get("spss groups", "") + "".join(
                    f"{a}|{b};" for a, b in named
                )
            compared = re.match(r"T-TEST\s+/?GROUPS\s*=\s*(\w+).*?/VARIABLES\s*=\s*([\w\s]+)", words, re.I)
            for name in compared[2].split() if compared is not None else []:
                session.objects[f"t-test of {name}"] = compared[1] if compared is not None else ""
            means = re.match(r"MEANS\s+(?:TABLES\s*=\s*)?(\w+(?:\s+\w+)*?)\s+BY\s+(\w+)", words, re.I)
            if means is not None:
                session.objects.setdefault("means", "")
                session.objects["means"] += f"{means[1]}|{means[2]};"


def _spss_columns(words: str, session: Session) -> None:
    """The names that GET DATA gives to the columns of a file, one after the other."""
    listed = re.search(r"/VARIABLES\s*=?\s*([^/]+)", words, re.I)
    names = re.findall(r"([A-Za-z_]\w*)\s+[A-Za-z]+\d+(?:\.\d+)?", listed[1]) if listed is not None else []
    known = session.words.names
    if len(names) == len(known):
        session.objects["spss columns"] = " ".join(names)
        session.aliases.update({a: b for a, b in zip(names, known, strict=True) if session.words.variable(a) != b})


def _by_columns(text: str, session: Session) -> str:
    """An expression with the columns of the data for the names that GET DATA gave them, outside of quotes."""
    for name in session.objects.get("spss columns", "").split():
        if name in session.aliases:
            text = re.sub(rf"(?<![\w.'\"])\b{name}\b(?!['\"])", session.aliases[name], text)
    return text


def _spss_if(words: str, session: Session) -> None:
    """`IF (age >= 65) old = 1`: a value for some rows, beside what the variable was before."""
    made = re.match(r"IF\s*\(?(.+?)\)?\s+(\w+)\s*=\s*(.+)$", words, re.I)
    if made is not None:
        before = session.derived.get(made[2], "nan")
        session.derived[made[2]] = f"cond({as_expression(as_condition(made[1]))}, {as_expression(made[3])}, {before})"


def _spss_state(words: str, session: Session) -> None:
    """A selection or a weight. Tables do not say which commands came before them: what agrees with the data does."""
    where, weights = session.states[-1] if session.states else (None, None)
    command = words.upper()
    if command.startswith("SELECT IF"):
        condition = as_condition(_by_columns(words[9:].strip(), session))
        # TEMPORARY limits a selection to one command, so it may hold alone.
        session.states.append((condition, weights))
        where = conditions((where, condition))
        session.objects["spss selection"] = conditions((session.objects.get("spss selection"), condition)) or ""
    elif command.startswith("FILTER"):
        by = re.match(r"FILTER\s+BY\s+(\w+)", words, re.I)
        # Rows that were taken out before stay out.
        selected = session.objects.get("spss selection")
        where = conditions((selected, f"{by[1]} != 0" if by is not None else None))
    else:
        by = re.match(r"WEIGHT\s+BY\s+(\w+)", words, re.I)
        weights = by[1] if by is not None else None
    session.states.append((where, weights))


def _spss_labels(name: str, labels: dict[str, str], session: Session) -> None:
    source = session.aliases.get(name)
    if source is None:
        session.labels[name] = labels
        return
    codes = {new: old for old, new in session.labels.get(f"recode {name}", {}).items()}
    session.labels[source] = {codes.get(code, code): label for code, label in labels.items()}


def _recode(words: str, session: Session) -> None:
    match = re.match(r"RECODE\s+(\w+)\s+(.*)\s+INTO\s+(\w+)", words, re.I)
    if match is not None:
        ranges, _ = _ranges(match[2], r"\bthru\b")
        if re.search(r"\bthru\b|\belse\b", match[2], re.I) and "'" not in match[2]:
            session.derived[match[3]] = f"recode_ranges({_by_columns(match[1], session)}, {ranges})"
            return
        session.aliases[match[3]] = match[1]
        pairs = re.findall(r"\(\s*['\"]?([^'\"()=]+)['\"]?\s*=\s*['\"]?([^'\"()]+)['\"]?\s*\)", match[2])
        session.labels[f"recode {match[3]}"] = {old.strip(): new.strip() for old, new in pairs}


def note_python(text: str, session: Session) -> None:
    """A Python statement."""
    made = re.match(r"^(?:\w+)(?:\[['\"](\w+)['\"]\]|\.(\w+))\s*=\s*(.+)$", text)
    if made is not None:
        session.derived[made[1] or made[2]] = as_expression(made[3])
    limited = re.match(r"^(?:df|data|d)\s*=\s*\w+(?:\.query\(['\"](.+)['\"]\)|\[(.+)\])$", text)
    if limited is not None:
        session.restrict(as_condition(limited[1] or limited[2]))
    named = re.match(r"^(\w+)\s*=\s*(.+)$", text)
    if named is not None:
        session.objects[named[1]] = named[2]
