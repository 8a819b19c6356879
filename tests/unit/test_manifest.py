"""Folders and their manifests: which source each document is, and what is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from beacon.domain.source import IncomingDocument
from beacon.errors import InputError, NotFoundError
from beacon.ingest.manifest import FolderDefaults, FolderReading, Problem, read_folder, read_path


def _folder(path: Path, rows: list[dict[str, object] | str], **files: str) -> Path:
    for name in ("a", "b", "c"):
        (path / f"{name}.txt").write_text(f"Words of {name}.")
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (path / "manifest.jsonl").write_text("\n".join(lines) + "\n")
    return path


def _read(reading: FolderReading) -> tuple[list[IncomingDocument], list[Problem]]:
    return list(reading.documents), reading.problems


def test_fields_reach_the_document_and_the_rest_is_metadata(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "file": "a.txt",
        "id": "n1",
        "url": "https://example.org/a",
        "title": "R&amp;D",
        "date": "2025-01-02",
        "version_date": "2025-02-03",
    }
    row |= {
        "series": "weekly",
        "kind": "note",
        "role": "context",
        "voice": "observer",
        "participant": "P1",
        "segment": "pro",
        "derived_from": "n0",
        "pages": 3,
    }
    doc = _read(read_folder(_folder(tmp_path, [row])))[0][0]
    assert (doc.key, doc.url, doc.title, doc.series, doc.kind) == ("n1", "https://example.org/a", "R&D", "weekly", "note")
    assert (doc.role, doc.voice, doc.participant, doc.segment, doc.derived_from) == ("context", "observer", "P1", "pro", "n0")
    assert (doc.published_at, doc.version_date) == (datetime(2025, 1, 2, tzinfo=UTC), datetime(2025, 2, 3, tzinfo=UTC))
    assert doc.metadata == {"pages": 3, "manifest_id": "n1", "file": "a.txt"}
    assert doc.document
    assert doc.document.text == "Words of a."


def test_a_chain_of_supersedes_is_one_source_oldest_version_first(tmp_path: Path) -> None:
    rows: list[dict[str, object] | str] = [
        {"id": "v3", "file": None, "withdrawn": True, "supersedes": "v2", "version_date": "2025-03-01"},
        {"id": "other", "file": "c.txt"},
        {"id": "v1", "file": "a.txt", "version_date": "2025-01-01"},
        {"id": "v2", "file": "b.txt", "supersedes": "v1", "version_date": "2025-02-01"},
    ]
    docs, problems = _read(read_folder(_folder(tmp_path, rows)))
    assert [(doc.key, doc.metadata["manifest_id"]) for doc in docs] == [("v1", "v1"), ("other", "other"), ("v1", "v2"), ("v1", "v3")]
    assert (docs[3].withdrawn, docs[3].document, problems) == (True, None, [])


def test_one_url_twice_is_two_sources(tmp_path: Path) -> None:
    rows: list[dict[str, object] | str] = [{"id": n, "file": f"{n}.txt", "url": "https://example.org"} for n in ("a", "b")]
    assert [doc.key for doc in _read(read_folder(_folder(tmp_path, rows)))[0]] == ["a", "b"]


BAD_ROWS: dict[str, tuple[dict[str, object] | str, str]] = {
    "leaves by dots": ({"id": "x", "file": "../secret.txt"}, "outside"),
    "leaves and comes back": ({"id": "x", "file": "../inside/b.txt"}, "outside"),
    "absolute": ({"id": "x", "file": "/etc/hostname"}, "outside"),
    "leaves by a link": ({"id": "x", "file": "link.txt"}, "outside"),
    "missing file": ({"id": "x", "file": "nowhere.txt"}, "does not exist"),
    "impossible date": ({"id": "x", "file": "b.txt", "date": "2025-02-30"}, "2025-02-30"),
    "impossible version date": ({"id": "x", "file": "b.txt", "version_date": "soon"}, "soon"),
    "used id": ({"id": "first", "file": "b.txt"}, "line 1"),
    "supersedes itself": ({"id": "x", "file": "b.txt", "supersedes": "x"}, "circle"),
    "older than what it supersedes": ({"id": "x", "file": "b.txt", "supersedes": "first", "version_date": "2024-01-01"}, "before"),
    "no file": ({"id": "x", "file": None}, "names no file"),
    "unknown role": ({"id": "x", "file": "b.txt", "role": "boss"}, "role"),
    "not an object": ("[1]", "object"),
    "not json": ('{"id": ', "JSON"),
    "empty": ({}, "neither"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows_are_named_by_line_and_the_rest_goes_on(tmp_path: Path, case: str) -> None:
    row, reason = BAD_ROWS[case]
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    first: dict[str, object] = {"id": "first", "file": "a.txt", "version_date": "2025-01-01"}
    docs, problems = _read(read_folder(_folder(inside, [first, row, {"id": "last", "file": "c.txt"}])))
    assert [doc.key for doc in docs] == ["first", "last"]
    assert [(problem.file, problem.row) for problem in problems] == [("manifest.jsonl", 2)]
    assert reason in problems[0].message


def test_a_circle_of_rows_is_refused_row_by_row(tmp_path: Path) -> None:
    rows: list[dict[str, object] | str] = [
        {"id": "x", "file": "a.txt", "supersedes": "y"},
        {"id": "y", "file": "b.txt", "supersedes": "x"},
        {"id": "z", "file": "c.txt"},
    ]
    docs, problems = _read(read_folder(_folder(tmp_path, rows)))
    assert [doc.key for doc in docs] == ["z"]
    assert [problem.row for problem in problems] == [1, 2]


def test_a_row_that_supersedes_one_read_before_goes_to_that_source(tmp_path: Path) -> None:
    docs, problems = _read(read_folder(_folder(tmp_path, [{"id": "v2", "file": "a.txt", "supersedes": "v1"}])))
    assert [doc.key for doc in docs] == ["v1"]
    assert [problem.refused for problem in problems] == [False]


def test_a_damaged_file_in_a_manifest_is_a_problem_of_its_line(tmp_path: Path) -> None:
    folder = _folder(tmp_path, [{"id": "x", "file": "x.pdf"}, {"id": "a", "file": "a.txt"}], x__pdf="%PDF-1.4 broken")
    docs, problems = _read(read_folder(folder))
    assert ([doc.key for doc in docs], problems[0].row) == (["a"], 1)
    assert "x.pdf" in problems[0].message


def test_answers_named_by_a_manifest_are_one_document_a_row(tmp_path: Path) -> None:
    answers = (
        '{"id": "q1", "respondent": 4, "question": "Why?", "text": "Because.", "plan": "pro"}\nbroken\n{"id": "q2", "text": "No idea."}\n'
    )
    row: dict[str, object] = {
        "id": "s",
        "file": "s.jsonl",
        "title": "Survey",
        "date": "2025-01-02",
        "segment": "all",
        "derived_from": "raw",
    }
    docs, problems = _read(read_folder(_folder(tmp_path, [row], s__jsonl=answers)))
    assert [(doc.key, doc.title, doc.participant, doc.segment) for doc in docs] == [
        ("s#q1", "Why?", "4", "pro"),
        ("s#q2", "Survey, q2", "", "all"),
    ]
    assert {doc.derived_from for doc in docs} == {"raw"}
    assert [(problem.file, problem.row) for problem in problems] == [("s.jsonl", 2)]


def test_without_a_manifest_files_are_sources_known_by_path(tmp_path: Path) -> None:
    for name in ("z.txt", "sub/b.md", "sub/.hidden.txt", ".git/c.txt", "photo.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Words.")
    (tmp_path / "rows.csv").write_text("id,text\n1,Hello\n")
    reading = read_folder(tmp_path, defaults=FolderDefaults(segment="pro", date=datetime(2025, 1, 1, tzinfo=UTC)))
    docs = list(reading.documents)
    assert [doc.key.removeprefix(f"{tmp_path.resolve().as_posix()}/") for doc in docs] == ["rows.csv#1", "sub/b.md", "z.txt"]
    assert reading.skipped == ("photo.png",)
    assert {(doc.segment, doc.version_date) for doc in docs} == {("pro", datetime(2025, 1, 1, tzinfo=UTC))}


def test_documents_are_read_only_when_asked_for(tmp_path: Path) -> None:
    reading = read_folder(_folder(tmp_path, [{"id": "a", "file": "a.txt"}, {"id": "b", "file": "b.txt"}]))
    next(reading.documents)
    (tmp_path / "b.txt").unlink()
    assert list(reading.documents) == []
    assert "b.txt" in reading.problems[0].message


def test_an_empty_folder_says_what_to_put_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Markdown.*manifest\.jsonl"):
        read_folder(tmp_path)


def test_a_missing_path_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_path(tmp_path / "nowhere")


def test_a_single_file_is_read_with_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.")
    doc = next(read_path(tmp_path / "a.txt", defaults=FolderDefaults(kind="note")).documents)
    assert (doc.key, doc.title, doc.kind) == ((tmp_path / "a.txt").resolve().as_posix(), "a", "note")


def test_a_script_is_no_address(tmp_path: Path) -> None:
    docs, problems = _read(read_folder(_folder(tmp_path, [{"id": "a", "file": "a.txt", "url": "javascript:alert(1)"}])))
    assert (docs[0].url, problems[0].refused) == ("", False)
