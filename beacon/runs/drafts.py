"""Drafts: every version of what a run's phases wrote, in the record store and as files.

The records are the truth; the files follow them. Whatever is missing on disk is written at the next step, so a kill or a full
disk between the two loses nothing.
"""

import os
import re
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from beacon.domain.ids import make_id
from beacon.domain.run import PHASES, Draft, Run
from beacon.errors import InputError, NotFoundError, RefusedError, StorageError
from beacon.workspace import Workspace

SUMMARY_FILE = "WORKFLOW_SUMMARY.md"
NAME_BYTES = 120  # of a slug in a folder's name; file systems allow 255 bytes in all
_UNSAFE = re.compile(r"[^\w-]+", re.UNICODE)


def phase_folder(phase: str) -> str:
    """The phase's folder under `drafts/`. Raises InputError for a phase that does not exist."""
    if phase not in PHASES:
        raise InputError(f"There is no phase '{phase}': the phases are {', '.join(PHASES)}.", phase=phase)
    return f"{PHASES.index(phase) + 1}_{phase}"


def run_folder_name(started_at: datetime, slug: str) -> str:
    """`run_<timestamp>_<slug>`, short enough for any file system."""
    short = slug.encode()[:NAME_BYTES].decode(errors="ignore").strip("-")
    return f"run_{_stamp(started_at)}_{short}"


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def draft_path(draft: Draft) -> str:
    """Where the draft's file stands in its run's folder."""
    part = _UNSAFE.sub("_", draft.part).strip("_").encode()[:NAME_BYTES].decode(errors="ignore") or draft.phase
    version = f"_v{draft.n}" if draft.n > 1 else ""
    return f"drafts/{phase_folder(draft.phase)}/{_stamp(draft.at)}_{part}{version}.md"


def inside(folder: Path, name: str) -> Path:
    """`folder/name`. Raises RefusedError when that is outside the folder, links included."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RefusedError(f"'{name}' leaves the folder of its run.", path=name)
    return path


def write_text(path: Path, text: str) -> None:
    """Write the file in one move; a reader sees the old one or the new one. Raises StorageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name[:40]}.{os.getpid()}.{threading.get_ident()}.new")  # sections write at the same time
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    except OSError as error:
        raise StorageError(
            f"{path.name} cannot be written ({error.strerror}): free space or fix the rights of {path.parent}, then resume the run.",
            path=str(path),
        ) from error


def output_folder(ws: Workspace, run: Run) -> Path:
    """The run's folder under `outputs/`. Raises RefusedError when its stored name leads elsewhere."""
    if not run.output_dir:
        raise NotFoundError(f"The run {run.id} has written nothing yet.", run_id=run.id)
    return inside(ws.settings.outputs_dir, run.output_dir)


def write_files(ws: Workspace, run_id: str) -> None:
    """Bring the run's folder up to its records: drafts, report, translation, summary. Raises StorageError."""
    with ws.records.read() as tx:
        run = tx.runs.get(run_id)
        drafts = tx.runs.drafts(run_id) if run.output_dir else []
    if not drafts:
        return
    folder = output_folder(ws, run)
    for draft in drafts:
        path = inside(folder, draft_path(draft))
        if not path.exists():
            write_text(path, with_header(draft.content, {"phase": draft.phase, "version": draft.n, **draft.metadata}))
    for name, text in _published(run):
        _write_changed(inside(folder, name), text)
    _write_changed(inside(folder, f"drafts/{SUMMARY_FILE}"), build_summary(run, drafts))


def _write_changed(path: Path, text: str) -> None:
    try:
        same = path.read_text(encoding="utf-8") == text
    except OSError:
        same = False
    if not same:
        write_text(path, text)


def _published(run: Run) -> Iterable[tuple[str, str]]:
    files = run.state.get("published_files", {})
    for kind, field in (("markdown", "final_report"), ("translation", "translated_report")):
        if files.get(kind) and run.state.get(field):
            yield Path(files[kind]).name, str(run.state[field])


def with_header(content: str, metadata: Mapping[str, Any]) -> str:
    """The draft as its file has it: metadata in front, then the text."""
    lines = [f"{name}: {str(value).replace(chr(10), ' ')}" for name, value in metadata.items()]
    return "\n".join(["---", *lines, "---", "", content.rstrip(), ""])


def build_summary(run: Run, drafts: Iterable[Draft]) -> str:
    """WORKFLOW_SUMMARY: what the run did, phase by phase."""
    state = run.state
    lines = [f"# Workflow summary: {_line(state.get('query', ''))}", "", f"- Run: {run.id}", f"- Started: {_stamp(run.started_at)}"]
    if run.as_of:
        lines.append(f"- As of: {_stamp(run.as_of)}")
    lines += [
        f"- Completed phases: {', '.join(run.completed_phases) or 'none'}",
        f"- Sections: {len(state.get('research_sections', []))}",
        "",
    ]
    by_phase: dict[str, list[Draft]] = {phase: [] for phase in PHASES}
    for draft in drafts:
        by_phase[draft.phase].append(draft)
    for phase, written in by_phase.items():
        if written:
            lines += [
                f"## {phase_folder(phase)}",
                "",
                *(f"- [{draft_path(one).rsplit('/', 1)[-1]}]({draft_path(one).removeprefix('drafts/')})" for one in written),
                "",
            ]
    if state.get("errors"):
        lines += ["## What went wrong", "", *(f"- {_line(error)}" for error in state["errors"]), ""]
    return "\n".join(lines)


def _line(text: object) -> str:
    return " ".join(str(text).split())


class DraftManager:
    """The drafts of one run."""

    def __init__(self, ws: Workspace, run_id: str) -> None:
        self._ws = ws
        self._run_id = run_id

    def save_draft(self, phase: str, content: str, metadata: Mapping[str, Any] | None = None, part: str = "") -> Draft:
        """The draft, kept as the next version of its phase (and part), and its file. Raises StorageError."""
        phase_folder(phase)
        with self._ws.records.write() as tx:
            tx.runs.get(self._run_id)
            n = 1 + sum(1 for one in tx.runs.drafts(self._run_id, phase) if one.part == part)
            draft = Draft(
                id=make_id("drf", self._run_id, phase, part, n), run_id=self._run_id, phase=phase, part=part, n=n,
                content=content, at=self._ws.clock(), metadata=dict(metadata or {}),
            )  # fmt: skip
            tx.runs.put_draft(draft)
        write_files(self._ws, self._run_id)
        return draft

    def load_draft(self, phase: str) -> str | None:
        """The newest draft of the phase, or None."""
        phase_folder(phase)
        with self._ws.records.read() as tx:
            drafts = tx.runs.drafts(self._run_id, phase)
        return drafts[-1].content if drafts else None

    def list_drafts(self) -> list[dict[str, Any]]:
        """{id, phase, part, n, at, metadata, file} of every draft, in the order they were written."""
        with self._ws.records.read() as tx:
            tx.runs.get(self._run_id)
            drafts = tx.runs.drafts(self._run_id)
        return [
            {
                "id": one.id,
                "phase": one.phase,
                "part": one.part,
                "n": one.n,
                "at": one.at.isoformat(),
                "metadata": one.metadata,
                "file": draft_path(one),
            }
            for one in drafts
        ]

    def generate_workflow_summary(self) -> str:
        """WORKFLOW_SUMMARY.md as it stands now, written beside the drafts."""
        with self._ws.records.read() as tx:
            run, drafts = tx.runs.get(self._run_id), tx.runs.drafts(self._run_id)
        text = build_summary(run, drafts)
        if run.output_dir:
            _write_changed(inside(output_folder(self._ws, run), f"drafts/{SUMMARY_FILE}"), text)
        return text
