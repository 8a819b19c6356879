"""Where the dashboard's files are, in a checkout and in an installed wheel alike."""

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
_PACKAGE = HERE.parent
APP_DIR = _PACKAGE / "_app" if (_PACKAGE / "_app" / "app.py").is_file() else _PACKAGE.parent
PAGES = APP_DIR / "pages"
MAIN = HERE / "main.py"  # not beside pages/: Streamlit would run those files on its own
STATIC = HERE / "static"


def vis_folder() -> Path | None:
    """The folder of the graph page's drawing library inside the installed pyvis, found without importing it."""
    found = find_spec("pyvis")
    places = list(found.submodule_search_locations or []) if found else []
    folder = Path(places[0]) / "lib" / "vis-9.1.2" if places else None
    return folder if folder and folder.is_dir() else None
