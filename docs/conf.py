"""How Sphinx makes the documentation site: ``sphinx-build -W --keep-going -c docs . OUTPUT``, in the repository's root.

The source is the repository itself, so that a link from one Markdown file to another leads to the same place on the
site, in the repository and on the disk, and nothing is copied before. Nothing is fetched from the network, neither by
the build nor by its pages.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))

from autodiff import __version__ as release
from autodiff.command_line.main import main

project = "dualautodiff"
author = "The dualautodiff developers"
project_copyright = author
version = release

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.viewcode", "numpydoc", "mathml"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "notebooks/*.ipynb", "examples/README.md", "benchmarks/RESULTS.md", "CHANGELOG.md",
                    "CONTRIBUTING.md"]  # fmt: skip
exclude_patterns = [".*", "**/.ipynb_checkpoints"]

nb_execution_mode = "off"  # the tests run the notebooks; their outputs are shown as committed
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

nitpicky = True
OURS = r"autodiff\.(compiler|debugging|distributed|drawing|operators|scipy|symbols)\..*"
FOREIGN = r"(collections\.abc|pathlib|os)\..*|SearchStrategy|DerivativeOperator|" + OURS
nitpick_ignore_regex = [("py:class", FOREIGN)]
"""Types in signatures that have no page here: Python's own, hypothesis's, and what functions of ours return."""
default_role = "py:obj"  # docstrings name functions in single backticks
autosummary_generate = False
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True  # dtype=float, not <class 'float'>; `with_values` shows constants
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "dualautodiff"
html_extra_path = ["static/index.html"]
html_static_path = [
    "static/site.css",
    "static/site.js",
    "static/stix-two-math.woff2",
    "static/stix-two-math.LICENSE.txt",
]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"  # of blocks that name none: what a program printed
pygments_style = "default"
pygments_dark_style = "github-dark"

LESSONS = ["Hundred-Lines", "Dual-Math", "Forward-AD", "Reverse-AD", "Computational-Graphs", "Higher-Order",
           "Taylor-Series", "Vector-Functions", "Jacobians-and-Sparsity", "Implicit-Functions", "Uncertainties",
           "Kinks-and-Ties", "Custom-Rules", "Property-Based-Checks", "Optimisers", "Neural-Network",
           "Differentiable-Simulation", "Machine-Code"]  # fmt: skip
"""The notebooks in the order of ideas."""


def with_lessons(app: Any, page: str, source: list[str]) -> None:
    """Put the notebooks, in their order, into the contents of the page of lessons."""
    if page == "docs/lessons":
        source[0] = source[0].replace("(the notebooks)", "\n".join(f"../notebooks/{name}" for name in LESSONS))


def with_readmes(app: Any, page: str, source: list[str]) -> None:
    """Let a link to a folder lead to its README.md, as it does in the repository."""
    here = (app.srcdir / page).parent
    has_readme = lambda link: (here / link[1] / "README.md").exists()
    source[0] = re.sub(
        r"\]\(((?:\.\./)*[\w-]+)\)", lambda link: f"]({link[1]}/README.md)" if has_readme(link) else link[0], source[0]
    )


def is_foreign(app: Any, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a module here only passes on from SciPy."""
    return (getattr(member, "__module__", None) or "").startswith("scipy.") or None


def with_values(app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None,
                returned: str | None) -> tuple[str, str | None] | None:  # fmt: skip
    """Show the value of a default for which a signature has the name of a constant: 16, not PATHS."""
    function = inspect.unwrap(obj.__init__ if inspect.isclass(obj) else obj)
    if signature is None or not inspect.isfunction(function):
        return None
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict(zip(names[::-1], (function.__defaults__ or ())[::-1], strict=False))
    for parameter, value in (defaults | (function.__kwdefaults__ or {})).items():
        if not isinstance(value, type):  # whose name says it
            written = rf"(?<=[( ]){parameter}(?=[:=])[^=]*= ?[A-Za-z_]\w*(?=[,)])"
            with_value = lambda found, value=value: re.sub(r"\w+$", repr(value), found[0])
            signature = re.sub(written, with_value, signature)
    return signature, returned


def from_the_top(app: Any, env: Any, node: Any, text: Any) -> Any:
    """Resolve a name in a docstring that is one of `autodiff` itself, not of the module that it stands in."""
    name, domain = f"autodiff.{node['reftarget']}", env.get_domain("py")
    return domain.resolve_xref(env, node.get("refdoc"), app.builder, "obj", name, node, text)


def with_explorer(app: Any, error: Exception | None) -> None:
    """Write the page of the explorer, which the first page shows, beside the pages."""
    if error is None and app.builder.format == "html":
        main(["explore", "sin(x*y) + x/y", "x=1", "y=2", "-o", str(Path(app.outdir) / "explorer.html")])


def setup(app: Any) -> None:
    """What Sphinx calls once it has read this file."""
    app.connect("source-read", with_lessons)
    app.connect("source-read", with_readmes)
    app.connect("missing-reference", from_the_top)
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("autodoc-process-signature", with_values)
    app.connect("build-finished", with_explorer)
