"""The command line: what it prints, what it refuses, and how it ends."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beacon.cli.main import COMMANDS, run

HEAVY = ("numpy", "sqlalchemy", "pydantic", "chromadb", "dbos", "neo4j", "streamlit", "mcp", "httpx", "networkx", "alembic", "anthropic")
SLUG = "asteroid-2024-yr4"
KINDS = {"new", "changed", "dropped", "contradicted", "retracted", "confirmed"}


class Said:
    """How a command ended and what it printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """What it printed, read as JSON lines."""
        assert self.code == 0, self.err
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def beacon(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs a command in this process."""

    def call(*arguments: object) -> Said:
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return call


def process(*arguments: str, home: Path | None = None, **options: Any) -> "subprocess.CompletedProcess[str]":
    """A finished `python -m beacon`."""
    env = {**os.environ, **({"BEACON_HOME": str(home)} if home else {}), **options.pop("env", {})}
    command = [*options.pop("before", ()), sys.executable, "-m", "beacon", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False, **options)


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that is no group, such as ("topic", "add")."""
    import click

    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), (*path, name))


def all_commands() -> list[tuple[str, ...]]:
    from beacon.cli.main import cli

    return list(leaves(cli))


# Help


def test_help_lists_every_command(beacon: Callable[..., Said]) -> None:
    said = beacon("--help")
    assert said.code == 0 and not [name for name in COMMANDS if f"\n  {name} " not in said.out]


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys; from beacon.cli.main import run; run(['--help']); print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_explains_itself(beacon: Callable[..., Said], command: tuple[str, ...]) -> None:
    said = beacon(*command, "--help")
    assert said.code == 0 and f"beacon {' '.join(command)}" in said.out and len(said.out.splitlines()) > 3


def test_the_version_is_printed(beacon: Callable[..., Said]) -> None:
    assert beacon("--version").out.strip()[0].isdigit()


# JSON shapes


def test_changes_have_their_shape(on_desk: Path, beacon: Callable[..., Said]) -> None:
    found = beacon("changes", SLUG, "--run", 3, "--json").json
    keys = {"kind", "subject", "attribute", "text", "quote", "source", "old", "materiality"}
    place = {"source_id", "url", "title", "version_date", "start", "end"}
    assert found and all(keys <= c.keys() and c["kind"] in KINDS - {"confirmed"} for c in found)
    assert all(place <= c["source"].keys() for c in found if c["quote"])
    assert all({"text", "quote", "source"} <= c["old"].keys() and place <= c["old"]["source"].keys() for c in found if c["old"])


def test_changes_come_best_first(on_desk: Path, beacon: Callable[..., Said]) -> None:
    weights = [c["materiality"] for c in beacon("changes", SLUG, "--run", 3, "--json").json]
    assert weights == sorted(weights, reverse=True)


def test_changes_between_two_dates_are_those_of_the_run_between_them(on_desk: Path, beacon: Callable[..., Said]) -> None:
    found = beacon("changes", SLUG, "--from", "2025-02-18", "--to", "2025-02-26", "--json").json
    assert {c["text"] for c in found} >= {c["text"] for c in beacon("changes", SLUG, "--run", 3, "--json").json[:3]}


def test_a_batch_of_searches_prints_one_line_a_query(on_desk: Path, beacon: Callable[..., Said], tmp_path: Path) -> None:
    batch = tmp_path / "queries.jsonl"
    batch.write_text('{"id": 7, "query": "impact probability"}\n\n{"id": "b", "query": "зонд 日本"}\n', encoding="utf-8")
    rows = beacon("search", "--batch", batch, "-k", 3).rows
    keys = {"chunk_id", "source_id", "url", "title", "start", "end", "text", "score", "receipt"}
    assert [row["id"] for row in rows] == [7, "b"]
    assert len(rows[0]["hits"]) == 3 and all(keys <= hit.keys() for hit in rows[0]["hits"])


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense", "graph"])
def test_every_search_mode_finds_what_was_read(on_desk: Path, beacon: Callable[..., Said], mode: str) -> None:
    found = beacon("search", "ESA impact probability", "--mode", mode, "--json").json
    assert found and any("ESA" in hit["text"] + hit["title"] for hit in found)


def test_a_hit_is_the_slice_of_its_source(on_desk: Path, beacon: Callable[..., Said]) -> None:
    hit = beacon("search", "Webb", "-k", 1, "--json").json[0]
    versions = beacon("source", "show", hit["source_id"], "--json").json["versions"]
    texts = [beacon("source", "show", hit["source_id"], "--version", v["n"], "--json").json["text"] for v in versions]
    assert any(text[hit["start"] : hit["end"]] == hit["text"] for text in texts)


def test_an_answer_has_its_shape_and_exact_quotes(beacon: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "tower.md").write_text("# Tower\n\nThe tower of Velm is 93 metres high. It was built in 1911.\n", encoding="utf-8")
    beacon("ingest", tmp_path / "tower.md")
    answer = beacon("ask", "How high is the tower of Velm?", "--json").json
    keys = {"answer", "sufficient", "confidence", "intent", "missing", "citations", "cited_chunk_ids", "cited_event_ids"}
    assert keys | {"cited_theme_ids", "cited_opp_ids", "evidence_pack", "usage"} <= answer.keys()
    assert answer["sufficient"] and "93 metres" in answer["answer"]
    source = beacon("source", "show", answer["citations"][0]["source_id"], "--json").json
    assert all(source["text"][c["start"] : c["end"]] == c["quote"] for c in answer["citations"])
    assert {"n", "chunk_id", "source_id", "quote", "url", "start", "end"} <= answer["citations"][0].keys()


def test_a_question_beyond_the_sources_says_what_is_missing(beacon: Callable[..., Said]) -> None:
    answer = beacon("ask", "Who won the chess final?", "--json").json
    assert (answer["sufficient"], answer["citations"]) == (False, []) and answer["missing"]


def test_graph_entities_have_their_shape(on_desk: Path, beacon: Callable[..., Said]) -> None:
    found = beacon("graph", "entities", "-k", 5, "--json").json
    assert len(found) == 5 and all({"id", "name", "type", "aliases", "mentions"} <= entity.keys() for entity in found)
    assert all({"url", "start", "end"} <= mention.keys() for entity in found for mention in entity["mentions"])


def test_memory_search_in_a_batch_prints_one_line_a_query(beacon: Callable[..., Said], tmp_path: Path) -> None:
    beacon("memory", "add", "The board meets on Tuesdays.")
    batch = tmp_path / "queries.jsonl"
    batch.write_text('{"id": 1, "query": "When does the board meet?"}\n', encoding="utf-8")
    (row,) = beacon("memory", "search", "--batch", batch).rows
    assert row["id"] == 1 and {"memory_id", "text", "score", "receipt"} <= row["hits"][0].keys()


# Every reading command prints something for people, and JSON for programs

READERS = [
    "topic list", f"topic show {SLUG}", "project list", "project show", "source list", f"source list {SLUG}", f"runs list {SLUG}",
    f"runs show {SLUG}#2", f"report {SLUG}", f"changes {SLUG}", "gate list", f"draft list {SLUG}#2", f"draft show {SLUG}#2 planning",
    "schedule list", "graph entities", "graph neighbors NASA", "graph path NASA ESA", "graph summary", "memory list", "memory history",
    "memory search asteroid", "profile show", "profile history user_profile", "status", "event list", "search asteroid",
]  # fmt: skip


@pytest.mark.parametrize("line", READERS)
def test_every_reading_command_prints_for_people(on_desk: Path, beacon: Callable[..., Said], line: str) -> None:
    said = beacon(*line.split())
    assert said.code == 0 and said.out.strip() and not said.err, said.err


@pytest.mark.parametrize("line", READERS)
def test_every_reading_command_prints_json(on_desk: Path, beacon: Callable[..., Said], line: str) -> None:
    assert beacon(*line.split(), "--json").json is not None


@pytest.mark.parametrize("line", [line for line in READERS if SLUG not in line and "NASA" not in line])
def test_every_reading_command_works_in_an_empty_folder(beacon: Callable[..., Said], line: str) -> None:
    said = beacon(*line.split())
    assert said.code == 0 and not said.err, said.err


# Writing


def test_a_topic_can_be_added_shown_changed_removed_and_restored(beacon: Callable[..., Said], tmp_path: Path) -> None:
    added = beacon("topic", "add", "Größe & Wärme", "--query", "Wie warm?", "--folder", tmp_path, "--every", "mon 08:00", "--json").json
    assert (added["slug"], added["queries"], added["schedule"]["cron"]) == ("größe-wärme", ["Wie warm?"], "0 8 * * mon")
    assert beacon("topic", "set", added["slug"], "--tone", "wry", "--gates", "--json").json["gates"] is True
    beacon("topic", "remove", added["slug"])
    assert beacon("topic", "list", "--json").json == []
    assert beacon("topic", "restore", added["slug"], "--json").json["tone"] == "wry"


def test_a_schedule_can_be_taken_back(beacon: Callable[..., Said]) -> None:
    schedule = beacon("schedule", "add", "consolidation", "daily 07:30", "--json").json
    assert [s["id"] for s in beacon("schedule", "list", "--json").json] == [schedule["id"]]
    assert beacon("schedule", "remove", schedule["id"]).code == 0 and beacon("schedule", "list", "--json").json == []


def test_project_state_takes_json_and_words_and_forgets_what_is_emptied(beacon: Callable[..., Said]) -> None:
    beacon("project", "set", "segments=[1, 2]", "icp=small farms")
    assert beacon("project", "set", "icp=", "--json").json == {"segments": [1, 2]}


def test_projects_do_not_see_each_other(beacon: Callable[..., Said]) -> None:
    beacon("topic", "add", "Here")
    assert beacon("--project", "other", "topic", "list", "--json").json == []
    assert [t["slug"] for t in beacon("topic", "list", "--json", "--project", "default").json] == ["here"]


def test_a_run_goes_from_folder_to_report(beacon: Callable[..., Said], tmp_path: Path) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    (folder / "note.md").write_text("# Velm\n\nThe tower of Velm is 93 metres high.\n", encoding="utf-8")
    beacon("topic", "add", "Velm", "--folder", folder)
    assert beacon("run", "velm", "--json").json["status"] == "done"
    (folder / "note.md").write_text("# Velm\n\nThe tower of Velm is 95 metres high.\n", encoding="utf-8")
    assert beacon("run", "velm", "--json").json["n"] == 2
    (change,) = beacon("changes", "velm", "--json").json
    assert (change["kind"], change["old"]["quote"]) == ("changed", "The tower of Velm is 93 metres high.")
    assert "95 metres" in beacon("report", "velm").out and "<h1>" in beacon("report", "velm", "--format", "html").out
    assert beacon("verify").code == 0


# Bad input: exit code 2 and one clear line

REFUSED = [
    ("topic show nope", "There is no topic 'nope'"),
    ("run nope", "There is no topic 'nope'"),
    ("changes nope", "There is no topic 'nope'"),
    ("report nope", "There is no topic 'nope'"),
    ("topic add !!!", "no letter or digit"),
    ("topic add X --url ftp://x", "not a web address"),
    ("topic add X --feed javascript:alert(1)", "not a web address"),
    ("topic add X --folder /no/such/folder", "is not there"),
    ("topic add X --every whenever", "whenever"),
    ("topic add X --retention-days 0", "retention_days"),
    ("topic add", "Missing argument"),
    ("run", "SLUG"),
    ("run --redo r1", "--from"),
    ("run --resume run_none", "There is no run"),
    ("run x --cancel y --resume z", "SLUG"),
    ("runs show nope#1", "There is no topic"),
    ("runs show nope", "There is no run"),
    ("draft show nope planning", "There is no run"),
    ("gate answer nope approve", "There is no run"),
    ("gate answer r maybe", "maybe"),
    ("gate answer r approve --payload {", "not JSON"),
    ("source show nope", "There is no source"),
    ("source show https://nowhere.example/", "There is no source"),
    ("search", "QUERY"),
    ("search x -k 0", "-k"),
    ("search x -k -3", "-k"),
    ("search x --mode magic", "magic"),
    ("search x --topic nope", "There is no topic"),
    ("search --batch /no/such/file", "/no/such/file"),
    ("ask x --as-of 2026-02-30", "2026-02-30"),
    ("ask x --as-of yesterday", "yesterday"),
    ("ask x --conversation nope", "There is no conversation"),
    ("ask x --topic nope", "There is no topic"),
    ("ingest /no/such/folder", "folder"),
    ("ingest . --date 2026-13-01", "2026-13-01"),
    ("ingest . --map textbody", "textbody"),
    ("graph neighbors nobody", "no entity 'nobody'"),
    ("graph path a b", "no entity 'a'"),
    ("graph entities -k 0", "k"),
    ("schedule add research hourly", "topic"),
    ("schedule add consolidation never-ever", "never-ever"),
    ("schedule remove nope", "There is no schedule"),
    ("memory show nope", "There is no memory"),
    ("memory pin nope", "There is no memory"),
    ("memory undo nope", "There is no changeset"),
    ("memory list --status odd", "superseded"),
    ("profile restore user_profile 9", "9"),
    ("profile show diary", "diary"),
    ("project set nonsense", "KEY=VALUE"),
    ("project add a/b", "name"),
    ("restore /no/such/file", "/no/such/file"),
    ("event list -n 0", "-n"),
    ("frobnicate", "frobnicate"),
    ("--frob", "--frob"),
    ("topic frob", "frob"),
]


@pytest.mark.parametrize(("line", "named"), REFUSED, ids=[line for line, _ in REFUSED])
def test_bad_input_ends_with_code_two_and_names_what_is_wrong(beacon: Callable[..., Said], line: str, named: str) -> None:
    said = beacon(*line.split())
    assert (said.code, said.out) == (2, "") and named in said.err and "Traceback" not in said.err, said.err


@pytest.mark.parametrize(("line", "named"), [(line, named) for line, named in REFUSED if named.startswith("There is no")])
def test_a_refusal_by_a_tool_is_one_line(beacon: Callable[..., Said], line: str, named: str) -> None:
    assert len(beacon(*line.split()).err.splitlines()) == 1


def test_a_second_topic_of_one_title_is_refused(beacon: Callable[..., Said]) -> None:
    beacon("topic", "add", "Heat pumps")
    said = beacon("topic", "add", "Heat pumps")
    assert said.code == 2 and "'Heat pumps' is there already" in said.err


def test_a_title_whose_slug_is_taken_is_refused_by_naming_the_topic_that_has_it(beacon: Callable[..., Said]) -> None:
    beacon("topic", "add", "Heat pumps")
    said = beacon("topic", "add", "Heat: pumps?")
    assert said.code == 2 and "'Heat pumps' already has the slug 'heat-pumps'" in said.err


@pytest.mark.parametrize(
    "broken", ['{"id": 1, "query": "x"}\n{broken\n', '{"id": 1, "query": "x"}\n{"id": 2}\n', '{"id":1,"query":"x"}\n[]\n']
)
def test_a_broken_line_of_a_batch_is_named(beacon: Callable[..., Said], tmp_path: Path, broken: str) -> None:
    (tmp_path / "batch.jsonl").write_text(broken, encoding="utf-8")
    said = beacon("search", "--batch", tmp_path / "batch.jsonl")
    assert said.code == 2 and "line 2" in said.err and said.out == ""


def test_a_batch_that_is_not_utf8_is_refused(beacon: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "batch.jsonl").write_bytes(b'{"id": 1, "query": "gr\xf6\xdfe"}\n')
    said = beacon("search", "--batch", tmp_path / "batch.jsonl")
    assert said.code == 2 and "UTF-8" in said.err


def test_a_folder_without_anything_to_read_is_refused(beacon: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = beacon("ingest", tmp_path / "empty")
    assert said.code == 2 and "nothing to read" in said.err


def test_a_report_cannot_be_written_into_a_folder_that_is_not_there(on_desk: Path, beacon: Callable[..., Said]) -> None:
    said = beacon("report", SLUG, "--output", "/no/such/folder/report.md")
    assert said.code in (1, 2) and "/no/such/folder" in said.err and "Traceback" not in said.err


def test_text_that_is_no_unicode_is_refused(beacon: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "batch.jsonl").write_text('{"id": 1, "query": "\\ud800"}\n', encoding="utf-8")
    for arguments in (("topic", "add", "caf\udce9"), ("search", "--batch", tmp_path / "batch.jsonl"), ("ask", "a\0b")):
        said = beacon(*arguments)
        assert said.code == 2 and "not text" in said.err


# A process of its own


def test_a_process_prints_json_on_standard_output_alone(tmp_path: Path) -> None:
    done = process("topic", "add", "Größe", "--json", home=tmp_path / "home")
    assert (done.returncode, json.loads(done.stdout)["slug"], done.stderr) == (0, "größe", "")


def test_a_process_given_bad_input_ends_with_code_two(tmp_path: Path) -> None:
    done = process("topic", "show", "nope", home=tmp_path / "home")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_a_process_in_an_ascii_terminal_prints_what_it_can(tmp_path: Path) -> None:
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = process("topic", "add", "日本 Größe", home=tmp_path / "home", env=env)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_output_into_a_closed_pipe_ends_quietly(on_desk: Path) -> None:
    command = f"{sys.executable} -m beacon report {SLUG} | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


# A data folder that cannot be used


def as_nobody() -> list[str]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def test_a_data_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process("topic", "add", "Mine", home=home)
    shown = subprocess.run([*as_nobody(), sys.executable, "-c", "import beacon"], capture_output=True, check=False)
    if shown.returncode != 0:
        pytest.skip("another user cannot read this checkout")
    for folder in (home, *home.parents[:4]):
        folder.chmod(0o755)
    done = process("topic", "list", home=home, before=as_nobody())
    assert done.returncode == 1 and str(home) in done.stderr and "cannot be written" in done.stderr and "Traceback" not in done.stderr


def test_a_data_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("x")
    done = process("topic", "list", home=tmp_path / "home")
    assert done.returncode == 1 and "cannot be written" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", place], check=False, capture_output=True).returncode
    ):
        pytest.skip("this machine lets the tests mount nothing")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_is_a_clear_error_and_loses_nothing(
    small_disk: Path, beacon: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = small_disk / "home"
    monkeypatch.setenv("BEACON_HOME", str(home))
    (tmp_path / "kept.md").write_text("# Kept\n\nThe first note is about granite.\n", encoding="utf-8")
    (tmp_path / "long.md").write_text(
        "# Long\n\n" + "\n\n".join(f"Sentence {n} is about basalt and {n * 7}." for n in range(20_000)), encoding="utf-8"
    )
    assert beacon("topic", "add", "Rocks").code == 0
    fill = home / "fill"
    said = beacon("ingest", tmp_path / "long.md")
    assert said.code == 1 and str(home) in said.err and "space" in said.err and "Traceback" not in said.err
    assert [t["slug"] for t in beacon("topic", "list", "--json").json] == ["rocks"]
    fill.unlink(missing_ok=True)
    subprocess.run(["mount", "-o", "remount,size=60m", small_disk], check=True)
    assert beacon("ingest", tmp_path / "kept.md").code == 0
    assert "granite" in beacon("search", "granite").out
