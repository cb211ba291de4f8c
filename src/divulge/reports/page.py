"""One HTML page from sections: the policy that forbids everything but what is in it, the style, scripts, plots."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from divulge import __version__
from divulge.errors import DivulgeError
from divulge.record import write_text
from divulge.reports.blocks import Figure, Plot, Section

VEGA = "window.vegaEmbed = vegaEmbed;"
"""What is bundled. Vega Embed carries Vega's expression interpreter with it, so that no page needs eval."""


def _text_of(name: str) -> str:
    """A file of this room: a template, the style, the script."""
    return files("divulge.reports").joinpath(name).read_text(encoding="utf-8")


@cache
def _vega() -> Future[str]:
    """Vega, Vega-Lite and Vega Embed as one script, from the installed vl-convert: nothing is fetched.

    Making it takes a second, in which the rest of the page can be made, so it is promised and not waited for.
    """
    pool = ThreadPoolExecutor(1)
    made = pool.submit(_kept_bundle)
    pool.shutdown(wait=False)
    return made


def _kept_bundle() -> str:
    """The script, kept where numba keeps compiled kernels: whoever may write there may change the program too."""
    name = f"vega-{version('vl-convert-python')}-{hashlib.sha256(VEGA.encode()).hexdigest()[:8]}.js"
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).with_name("__pycache__"))
    with contextlib.suppress(OSError):
        return (folder / name).read_text(encoding="utf-8")
    made = _bundle()
    with contextlib.suppress(OSError, DivulgeError):  # a folder that nobody may write to: made anew every time
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / name, made)
    return made


def _bundle() -> str:
    """The script, made in a process of its own, since vl-convert lets no other thread of ours work meanwhile."""
    code = f"import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle({VEGA!r}).encode())"
    try:
        made = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True).stdout.decode(
            "utf-8"
        )
    except (OSError, subprocess.SubprocessError):
        # Where no process may be started it takes longer.
        import vl_convert

        made = str(vl_convert.javascript_bundle(VEGA))
    # Inside an HTML page a script ends at the first "</script", wherever that stands.
    return made.replace("</script", "<\\/script")


def environment(**names: Any) -> Environment:
    """Jinja with everything escaped and nothing undefined."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: _text_of(f"templates/{name}")),
    )
    made.tests["figure"] = lambda piece: isinstance(piece, Figure)
    made.globals |= {"kind_of": lambda block: type(block).__name__, **names}
    return made


def render_page(
    title: str, sections: Sequence[Section], top: tuple[str, dict[str, Any]], *, static: bool = False
) -> str:
    """The page. top: the template above the sections and its names; static: plots as pictures, without scripts."""
    style = _text_of("assets/report.css")
    script = None if static else _vega()
    jinja = environment(draw=_picture if static else _live(), static=static)
    template, names = top
    above = Markup(jinja.get_template(template).render(**names))
    # The plots are made here, while the script is.
    below = Markup(jinja.get_template("sections.html.jinja").render(sections=sections))
    scripts = [] if script is None else [script.result(), _text_of("assets/report.js")]
    return jinja.get_template("report.html.jinja").render(
        title=title,
        sections=sections,
        above=above,
        below=below,
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        policy=Markup(_content_policy([style], scripts)),
        version=__version__,
    )


def _content_policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """What a browser lets the page do: these styles, these scripts, nothing else; no eval, no network."""
    allowed = " ".join(map(_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {' '.join(map(_hash, styles))}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii") + "'"


def _live() -> Callable[[Plot], Markup]:
    """A place for each plot, and beside it the document that the script draws it from."""
    count = iter(range(10_000))

    def draw(plot: Plot) -> Markup:
        from divulge.reports.charts import document

        name = f"plot-{next(count)}"
        text = json.dumps(document(plot.draw, plot.data), ensure_ascii=True, allow_nan=False)
        # JSON stays JSON with these escaped, and no label can end the script that holds it.
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        place = '<div class="plot" data-spec="{0}" aria-hidden="true"></div>'
        return Markup(place + '<script type="application/json" id="{0}">{1}</script>').format(name, Markup(text))

    return draw


def _picture(plot: Plot) -> Markup:
    """The plot as SVG, for where no script runs."""
    import vl_convert

    from divulge.reports.charts import document
    from divulge.reports.marks import PALETTE

    made = {**document(plot.draw, plot.data), "width": 640}
    text = str(vl_convert.vegalite_to_svg(made))
    for name, colour in PALETTE.items():
        text = text.replace(f"var(--{name})", colour)
    return Markup('<div class="plot">{0}</div>').format(Markup(text))
