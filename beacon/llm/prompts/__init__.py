"""Prompts as files, one a task; the first line of each is its version.

A prompt is a model's whole system text and has nothing to fill in: what changes from call to call, document text above all, goes into
the user's message, fenced by `beacon.llm.untrusted.data_section`.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from beacon.errors import NotFoundError, StorageError

_FIRST_LINE = re.compile(r"version: (\d+)")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Prompt:
    name: str
    version: int
    text: str

    @property
    def label(self) -> str:
        """`name@version`, for caches and audit."""
        return f"{self.name}@{self.version}"


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of that name."""
    file = resources.files(__name__).joinpath(f"{name}.md")
    if not _NAME.fullmatch(name) or not file.is_file():
        raise NotFoundError(f"There is no prompt '{name}'.", name=name)
    first, _, rest = file.read_text(encoding="utf-8").partition("\n")
    version = _FIRST_LINE.fullmatch(first.strip())
    if version is None or not rest.strip():
        raise StorageError(f"The prompt '{name}' must begin with a line 'version: N' and go on with its text.", name=name)
    return Prompt(name, int(version.group(1)), rest.strip())
