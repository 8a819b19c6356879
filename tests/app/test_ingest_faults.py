"""Files that cannot be read: each is named with its row, the rest is read, and nothing that was there is lost."""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beacon.bootstrap import Beacon
from beacon.cli.main import run

GOOD = "# Velm\n\nThe tower of Velm is 93 metres high.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one good file."""
    made = tmp_path / "texts"
    made.mkdir()
    (made / "good.md").write_text(GOOD, encoding="utf-8")
    return made


@pytest.fixture
def ingest(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any], str]]:
    """Runs `beacon ingest PATH --json`: the exit code, the report and what was said besides."""

    def call(*paths: object) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        code = run(["ingest", *map(str, paths), "--json"])
        printed = capsys.readouterr()
        return code, json.loads(printed.out) if printed.out else {}, printed.err

    return call


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"<w>" + b"\0" * 200_000_000)
    return out.getvalue()


def entities() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w>&b;</w>')
    return out.getvalue()


FAULTS: list[tuple[str, Callable[[], bytes], str]] = [
    ("broken.pdf", lambda: b"%PDF-1.7\n1 0 obj <</Type /Catalog", "broken.pdf"),
    ("no.pdf", lambda: b"this is not a PDF at all", "no.pdf"),
    ("bomb.docx", bomb, "refused"),
    ("entities.docx", entities, "entities"),
    ("broken.docx", lambda: b"PK\x03\x04 and then nothing", "damaged"),
    ("binary.txt", lambda: bytes(range(256)) * 40, "binary.txt"),
    ("empty.txt", lambda: b"", "empty"),
    ("broken.json", lambda: b'{"a": ', "JSON"),
    ("huge.txt", lambda: b"All work and no play. " * 2_500_000, "55.0 MB"),
]


@pytest.mark.parametrize(("name", "content", "named"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_read(
    folder: Path, ingest: Callable[..., Any], name: str, content: Callable[[], bytes], named: str
) -> None:
    (folder / name).write_bytes(content())
    code, report, said = ingest(folder)
    (problem,) = report["problems"]
    assert (code, report["new"], problem["file"], said) == (0, 1, name, "")
    assert named in problem["message"] and "Traceback" not in problem["message"]


@pytest.mark.parametrize(("name", "content", "named"), FAULTS[:2], ids=[name for name, _, _ in FAULTS[:2]])
def test_a_single_file_that_cannot_be_read_ends_with_code_two(
    tmp_path: Path, ingest: Callable[..., Any], name: str, content: Callable[[], bytes], named: str
) -> None:
    (tmp_path / name).write_bytes(content())
    code, _, said = ingest(tmp_path / name)
    assert code == 2 and name in said and len(said.splitlines()) == 1


def test_text_in_an_old_encoding_is_read(folder: Path, ingest: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "latin.txt").write_bytes("Die Größe der Brücke beträgt 12 Meter.".encode("latin-1"))
    _, report, _ = ingest(folder)
    assert report["new"] == 2
    run(["search", "Brücke", "--json"])
    assert "Größe" in json.loads(capsys.readouterr().out)[0]["text"]


def test_a_file_whose_name_is_no_text_is_read_with_the_rest(folder: Path, ingest: Callable[..., Any]) -> None:
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/gr\xf6\xdfe.md")).write_text("Something.", encoding="utf-8")
    except OSError:
        pytest.skip("this disk takes no such name")
    code, report, _ = ingest(folder)
    assert (code, report["new"], report["problems"]) == (0, 2, [])


def test_a_file_without_rights_is_named_and_the_rest_is_read(folder: Path, ingest: Callable[..., Any]) -> None:
    (folder / "secret.md").write_text("Secret.", encoding="utf-8")
    (folder / "secret.md").chmod(0)
    if os.access(folder / "secret.md", os.R_OK):
        pytest.skip("root reads everything")
    _, report, _ = ingest(folder)
    assert [p["file"] for p in report["problems"]] == ["secret.md"] and report["new"] == 1


def test_a_folder_in_which_nothing_can_be_read_ends_with_code_two(tmp_path: Path, ingest: Callable[..., Any]) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    code, report, said = ingest(tmp_path / "bad")
    assert code == 2 and [p["file"] for p in report["problems"]] == ["broken.pdf"] and "Nothing could be read" in said


def test_one_path_that_is_not_there_is_refused_before_anything_is_read(folder: Path, ingest: Callable[..., Any]) -> None:
    code, _, said = ingest(folder, "/no/such/file.md")
    assert code == 2 and "file.md" in said


ROWS = [
    {"file": "good.md", "id": "good", "title": "Good"},
    {"file": "../outside.md", "id": "up"},
    {"file": "/etc/hostname", "id": "absolute"},
    {"file": "link.md", "id": "link"},
    {"file": "missing.md", "id": "missing"},
    {"file": "good.md", "id": "good"},
    {"file": "good.md", "id": "dated", "date": "2026-02-30"},
    {"file": "good.md", "id": "role", "role": "spy"},
    {"id": "nothing"},
    {"file": "good.md", "id": "loop", "supersedes": "loop"},
]


def test_rows_of_a_manifest_that_cannot_be_used_are_named_by_their_line(folder: Path, ingest: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("Outside secret.", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    lines = [json.dumps(row) for row in ROWS] + ["{not json"]
    (folder / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")
    code, report, _ = ingest(folder)
    assert (code, report["new"]) == (0, 1)
    assert sorted(p["row"] for p in report["problems"]) == list(range(2, 12))
    assert {p["file"] for p in report["problems"]} == {"manifest.jsonl"}


def test_what_lies_outside_the_folder_is_not_in_the_desk(
    folder: Path, ingest: Callable[..., Any], tmp_path: Path, opened: Callable[..., Beacon]
) -> None:
    (tmp_path / "outside.md").write_text("Outside secret.", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    ingest(folder)
    beacon = opened()
    assert [s["title"] for s in beacon.call("source_list")] == ["Velm"] and beacon.call("search", query="secret", mode="lexical") == []


def test_rows_of_a_table_that_cannot_be_used_are_named_by_their_line(folder: Path, ingest: Callable[..., Any]) -> None:
    (folder / "answers.csv").write_text("id,text,date\n1,It is slow.,2026-01-02\n2,,2026-01-02\n3,It is loud.,someday\n", encoding="utf-8")
    code, report, _ = ingest(folder)
    assert code == 0 and report["new"] >= 2
    assert [(p["file"], p["row"]) for p in report["problems"]] and all(p["file"] == "answers.csv" and p["row"] for p in report["problems"])


def test_a_broken_copy_of_a_file_that_was_read_leaves_what_was_read(
    folder: Path, ingest: Callable[..., Any], opened: Callable[..., Beacon]
) -> None:
    ingest(folder)
    (folder / "good.md").write_bytes(bytes(range(256)) * 40)
    (folder / "other.md").write_text("# Other\n\nAnother text.", encoding="utf-8")
    _, report, _ = ingest(folder)
    beacon = opened()
    assert [p["file"] for p in report["problems"]] == ["good.md"]
    assert "93 metres" in beacon.call("search", query="tower of Velm")[0]["text"] and beacon.call("verify")["ok"]


def test_reading_a_folder_again_changes_nothing(folder: Path, ingest: Callable[..., Any]) -> None:
    first = ingest(folder)[1]
    again = ingest(folder)[1]
    assert (first["new"], again["new"], again["changed"], again["unchanged"]) == (1, 0, 0, 1)


def test_what_no_database_takes_is_read_all_the_same(tmp_path: Path, folder: Path, records_url: str, opened: Callable[..., Beacon]) -> None:
    (folder / "odd.md").write_text("# Odd\n\nA line\u2028break, \ufeffmarks, 🙂 and \U00100000 private.", encoding="utf-8")
    odd = '{"file": "good.md", "id": "a\\ud800", "title": "T\\u0000 \\udfff", "note": ["\\u0000", {"\\ud801": NaN}], "segment": "s\\u0000"}'
    (folder / "manifest.jsonl").write_text(odd + '\n{"file": "odd.md"}\n', encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text('{"id": "\\ud800", "text": "Half \\ud800 a \\u0000 pair.", "x": Infinity}\n', encoding="utf-8")
    turn = '{"id": "\\ud800", "conversation": "\\udc00\\u0000", "speaker": "A\\ud800\\u0000", "text": "Is it \\ud800 loud?", "at": null}'
    (tmp_path / "talk.jsonl").write_text(turn + "\n", encoding="utf-8")
    beacon = opened(database_url=records_url)
    first = beacon.call("ingest_paths", paths=[str(folder), str(tmp_path / "rows.jsonl")])
    talk = beacon.call("ingest_paths", paths=[str(tmp_path / "talk.jsonl")], kind="conversation")
    assert (first["new"], first["problems"], talk["new"], talk["problems"]) == (3, [], 1, [])
    assert beacon.call("verify")["ok"]


def test_conversations_that_cannot_be_read_are_named_by_their_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = {"id": "t1", "conversation": "c", "speaker": "Ana", "text": "The pump is loud.", "at": "2026-01-02T10:00:00Z"}
    lines = [json.dumps(turn), "{broken", json.dumps({**turn, "id": "t2", "at": "someday"}), json.dumps({"id": "t3"})]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    code = run(["ingest", str(tmp_path / "talk.jsonl"), "--kind", "conversation", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["new"], [p["row"] for p in report["problems"]]) == (0, 1, [2, 3, 4])


def test_a_conversation_file_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", str(tmp_path / "none.jsonl"), "--kind", "conversation"]) == 2
    assert "none.jsonl" in capsys.readouterr().err
