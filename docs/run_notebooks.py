"""Runs the notebooks and stores their outputs: ``python docs/run_notebooks.py``, or of some: ``... Forward-AD``."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""Of every notebook; Jupyter adds the version of Python and the folder it was opened from, which change needlessly."""


def run(path: Path) -> None:
    """Run a notebook from top to bottom and write it back; raises CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    settings = {"kernel_name": "python3", "timeout": 300, "record_timing": False, "coalesce_streams": True}
    NotebookClient(notebook, resources=resources, **settings).execute()
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
    path.write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    for notebook in [NOTEBOOKS / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        run(notebook)
        print(notebook.name)
