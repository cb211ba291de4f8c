"""Statements of a session that say something of the data: labels, recodes, new variables, selections, weights.

They are read, never run; what is not understood is left alone.
"""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.session import Session, as_condition, conditions

_QUOTED = r"['\"]([^'\"]*)['\"]"


def note_r(text: str, session: Session) -> None:
    """An R statement."""
    assigned = re.match(r"^\s*([\w.]+(?:\$[\w.]+|\[\[?['\"][\w.]+['\"]\]?\])?)\s*(?:<-|=)\s*(.+)$", text, re.DOTALL)
    if assigned is None:
        return
    target, value = assigned[1], assigned[2].strip()
    name = re.sub(r"^.*\$|^.*\[\[?['\"]|['\"]\]\]?$", "", target)
    if "$" in target or "[" in target:
        factor = re.match(r"^(?:as\.)?(?:ordered|factor)\((?:[\w.]+\$)?([\w.]+)(?:,\s*(.*))?\)$", value, re.DOTALL)
        if factor is not None:
            _factor(name, factor[1], factor[2] or "", session)
        elif re.search(r"\$|[-+*/<>=]", value):
            session.derived[name] = r_expression(value)
        return
    subset = re.match(r"^subset\((?:[\w.]+),\s*(?:subset\s*=\s*)?([^,]+)\)", value) or re.match(
        r"^[\w.]+\[\s*(.+?)\s*,\s*\]$", value
    )
    if subset is not None:
        session.restrict(as_condition(subset[1]))
    elif re.match(r"^read[.\w]*\(", value):
        session.clear()
    else:
        session.objects[name] = value


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


def r_expression(text: str) -> str:
    """An R expression of variables in Python's words."""
    out = re.sub(r"\b[\w.]+\$(?=\w)", "", text)
    out = re.sub(r"\bas\.(?:numeric|integer)\(", "(", out)
    return out.replace("^", "**")


def note_stata(text: str, session: Session) -> None:
    """A Stata command."""
    made = re.match(
        r"^(?:qui(?:etly)?\s+)?(?:g(?:en(?:erate)?)?|egen)\s+(?:byte|int|long|float|double)?\s*(\w+)\s*=\s*(.+)$", text
    )
    if made is not None:
        session.derived[made[1]] = made[2].replace("^", "**").strip()
        return
    kept = re.match(r"^(keep|drop)\s+if\s+(.+)$", text)
    if kept is not None:
        condition = as_condition(kept[2])
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


def note_gretl(text: str, session: Session) -> None:
    """A gretl command."""
    made = re.match(r"^(?:series|genr|scalar)\s+(\w+)\s*=\s*(.+)$", text)
    if made is not None:
        session.derived[made[1]] = made[2].replace("^", "**").strip()
    limited = re.match(r"^smpl\s+(.+?)\s*--restrict", text)
    if limited is not None:
        session.restrict(as_condition(limited[1]))
    elif re.match(r"^smpl\s+(?:full|--full)|^open\b", text):
        session.where = None
    panel = re.match(r"^setobs\s+(\w+)\s+(\w+)\s+--panel-vars", text)
    if panel is not None:
        session.panel = (panel[1], panel[2])


def note_spss(text: str, session: Session) -> None:
    """The statements of an SPSS or PSPP syntax file."""
    for statement in re.split(r"\.\s*(?:\n|$)", text):
        words = " ".join(statement.split())
        command = words.upper()
        if command.startswith("VALUE LABELS"):
            for part in re.split(r"\s*/\s*", words[12:].strip()):
                names = re.match(r"^((?:\w+\s+)+?)(?=-?[\d'\"])", part + " ")
                pairs = re.findall(r"(-?[\d.]+|'[^']*'|\"[^\"]*\")\s+['\"]([^'\"]*)['\"]", part)
                for name in names[1].split() if names else []:
                    _spss_labels(name, {c.strip("'\""): label for c, label in pairs}, session)
        elif command.startswith("VARIABLE LABELS"):
            for name, title in re.findall(r"/?\s*(\w+)\s+['\"]([^'\"]*)['\"]", words[15:]):
                session.titles[name] = title
        elif command.startswith("RECODE") and " INTO " in command:
            _recode(words, session)
        elif command.startswith(("SELECT IF", "WEIGHT", "FILTER")):
            _spss_state(words, session)
        elif command.startswith("COMPUTE"):
            made = re.match(r"COMPUTE\s+(\w+)\s*=\s*(.+)$", words, re.I)
            if made is not None:
                session.derived[made[1]] = made[2]
        else:
            dependent = re.match(r"LOGISTIC REGRESSION\s+(?:/?VARIABLES\s*=?\s*)?(\w+)\s+WITH", words, re.I)
            if dependent is not None:
                session.objects["logistic response"] = dependent[1]
            means = re.match(r"MEANS\s+(?:TABLES\s*=\s*)?(\w+(?:\s+\w+)*?)\s+BY\s+(\w+)", words, re.I)
            if means is not None:
                session.objects.setdefault("means", "")
                session.objects["means"] += f"{means[1]}|{means[2]};"


def _spss_state(words: str, session: Session) -> None:
    """A selection or a weight. Tables do not say which commands came before them: what agrees with the data does."""
    where, weights = session.states[-1] if session.states else (None, None)
    command = words.upper()
    if command.startswith("SELECT IF"):
        condition = as_condition(words[9:].strip())
        # TEMPORARY limits a selection to one command, so it may hold alone.
        session.states.append((condition, weights))
        where = conditions((where, condition))
    elif command.startswith("FILTER"):
        by = re.match(r"FILTER\s+BY\s+(\w+)", words, re.I)
        where = f"{by[1]} != 0" if by is not None else None
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
        session.aliases[match[3]] = match[1]
        pairs = re.findall(r"\(\s*['\"]?([^'\"()=]+)['\"]?\s*=\s*['\"]?([^'\"()]+)['\"]?\s*\)", match[2])
        session.labels[f"recode {match[3]}"] = {old.strip(): new.strip() for old, new in pairs}


def note_python(text: str, session: Session) -> None:
    """A Python statement."""
    made = re.match(r"^(?:\w+)(?:\[['\"](\w+)['\"]\]|\.(\w+))\s*=\s*(.+)$", text)
    if made is not None:
        value = re.sub(r"\b\w+\[['\"](\w+)['\"]\]|\b(?:df|data|d)\.(\w+)", lambda m: m[1] or m[2], made[3])
        session.derived[made[1] or made[2]] = re.sub(r"\.astype\(\w+\)", "", value)
    limited = re.match(r"^(?:df|data|d)\s*=\s*\w+(?:\.query\(['\"](.+)['\"]\)|\[(.+)\])$", text)
    if limited is not None:
        session.restrict(as_condition(limited[1] or limited[2]))
    named = re.match(r"^(\w+)\s*=\s*(.+)$", text)
    if named is not None:
        session.objects[named[1]] = named[2]
