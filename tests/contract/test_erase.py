"""What erasing promises on every record store: nothing of it is left, and what it had taken the place of holds again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from beacon.bootstrap import Beacon, open_beacon
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.settings import Settings
from beacon.stores.records import tables as t

SECRET = "The Lisbon plant closes on 3 March 2027 because of asbestos."
OTHER = "The harbour crane was painted green last summer."


class Clock:
    """A clock that is moved by hand."""

    at = datetime(2026, 5, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def beacon(records_url: str, tmp_path: Path) -> Iterator[Beacon]:
    settings = Settings.load(home=tmp_path / "home", database_url=records_url if records_url.startswith("postgresql") else "")
    opened = open_beacon(settings=settings, clock=Clock())
    yield opened
    opened.close()


def read_in(beacon: Beacon, folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    beacon.call("ingest_paths", paths=[str(folder)])


def source_ids(beacon: Beacon) -> dict[str, str]:
    return {one["title"]: one["id"] for one in beacon.call("source_list")}


def everything(beacon: Beacon) -> str:
    """Every text in the database."""
    found = []
    with beacon.workspace.records.read() as tx:
        for table in t.metadata.sorted_tables:
            for row in tx.connection.execute(sa.select(*[sa.cast(c, sa.Text) for c in table.c if not isinstance(c.type, sa.LargeBinary)])):
                found += [str(value) for value in row]
    return "\n".join(found)


def test_a_told_memory_leaves_no_words_and_no_id(beacon: Beacon) -> None:
    made = beacon.call("memory_add", text=SECRET)
    beacon.call("memory_edit", id=made["id"], text=SECRET + " Tell nobody of this.")
    receipt = beacon.call("erase", memory=made["id"])
    assert (receipt["clean"], receipt["residue"]) == (True, [])
    left = everything(beacon)
    assert SECRET not in left and made["id"] not in left


def test_what_an_erased_memory_had_superseded_holds_again(beacon: Beacon) -> None:
    beacon.call("memory_add", text="My favourite colour is green", subject="user", attribute="favourite colour", value="green")
    newer = beacon.call("memory_add", text="My favourite colour is blue", subject="user", attribute="favourite colour", value="blue")
    assert [m["value"] for m in beacon.call("memory_list")] == ["blue"]
    beacon.call("erase", memory=newer["id"])
    assert [m["value"] for m in beacon.call("memory_list")] == ["green"]


def test_another_memory_stays_as_it_was(beacon: Beacon) -> None:
    kept = beacon.call("memory_add", text=OTHER)
    gone = beacon.call("memory_add", text=SECRET)
    beacon.call("erase", memory=gone["id"])
    after = beacon.call("memory_show", id=kept["id"])
    assert {**kept, "changeset_id": ""} == {**after, "changeset_id": ""}


def test_an_erased_source_leaves_no_words_and_no_id(beacon: Beacon, tmp_path: Path) -> None:
    read_in(beacon, tmp_path / "in", secret=f"Notes of the board.\n\n{SECRET}\n", other=f"Harbour news.\n\n{OTHER}\n")
    found = beacon.call("search", query="Lisbon asbestos")[0]
    receipt = beacon.call("erase", source=found["source_id"])
    assert (receipt["clean"], receipt["residue"]) == (True, [])
    left = everything(beacon)
    assert SECRET not in left and found["source_id"] not in left and found["chunk_id"] not in left
    assert beacon.call("search", query="harbour crane")[0]["text"].endswith(OTHER)


def test_words_that_another_source_says_too_stay_with_that_source(beacon: Beacon, tmp_path: Path) -> None:
    read_in(beacon, tmp_path / "in", one=f"First paper, quite short.\n\n{OTHER}\n", two=f"Second paper, quite short.\n\n{OTHER}\n")
    gone = beacon.call("search", query="First paper")[0]["source_id"]
    assert beacon.call("erase", source=gone)["clean"]
    assert OTHER in beacon.call("search", query="harbour crane")[0]["text"]


def test_written_files_lose_its_words(beacon: Beacon, tmp_path: Path) -> None:
    made = beacon.call("memory_add", text=SECRET)
    report = beacon.workspace.settings.home / "outputs" / "run_x" / "report.md"
    report.parent.mkdir(parents=True)
    report.write_text(f"# Report\n\n{SECRET} {OTHER}\n", encoding="utf-8")
    assert beacon.call("erase", memory=made["id"])["files_cleaned"] == ["outputs/run_x/report.md"]
    assert report.read_text(encoding="utf-8") == f"# Report\n\n[erased] {OTHER}\n"


def test_a_backup_that_still_holds_it_is_named(beacon: Beacon) -> None:
    made = beacon.call("memory_add", text=SECRET)
    kept = beacon.workspace.settings.home / "backups" / "old.zip"
    kept.parent.mkdir()
    import zipfile

    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("records.txt", SECRET)
    receipt = beacon.call("erase", memory=made["id"])
    assert [one["path"] for one in receipt["still_held_by"]] == ["backups/old.zip"]


def test_an_address_of_several_sources_is_refused_with_all_of_them(beacon: Beacon, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    rows = []
    for n in (1, 2):
        (folder / f"{n}.txt").write_text(f"Paper number {n} about the harbour and its cranes.", encoding="utf-8")
        rows.append(f'{{"id": "p{n}", "file": "{n}.txt", "title": "Paper {n}", "url": "https://example.org/papers"}}')
    (folder / "manifest.jsonl").write_text("\n".join(rows), encoding="utf-8")
    beacon.call("ingest_paths", paths=[str(folder)])
    with pytest.raises(InputError) as refused:
        beacon.call("erase", source="https://example.org/papers")
    assert all(key in str(refused.value) for key in source_ids(beacon).values())
    assert len(source_ids(beacon)) == 2


def test_the_log_is_append_only_again_afterwards(beacon: Beacon) -> None:
    beacon.call("erase", memory=beacon.call("memory_add", text=SECRET)["id"])
    beacon.call("memory_add", text=OTHER)
    with pytest.raises(Exception, match="append-only"), beacon.workspace.records.write() as tx:
        tx.connection.execute(sa.delete(t.event))


@pytest.mark.parametrize("given", [{}, {"source": "a", "memory": "b"}])
def test_it_must_be_said_what_to_erase(beacon: Beacon, given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="Say what to erase"):
        beacon.call("erase", **given)


def test_what_is_not_there_is_named(beacon: Beacon) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        beacon.call("erase", source="nowhere")


def test_another_users_memory_cannot_be_erased(beacon: Beacon) -> None:
    made = beacon.call("memory_add", text=SECRET)
    ws = beacon.workspace
    stranger = Beacon(ws.as_user("stranger"))
    with pytest.raises(NotFoundError):
        stranger.call("erase", memory=made["id"])
    assert beacon.call("memory_show", id=made["id"])["text"] == SECRET


def test_nothing_is_erased_while_a_run_is_under_way(beacon: Beacon) -> None:
    made = beacon.call("memory_add", text=SECRET)
    topic = beacon.call("topic_add", title="Harbours")
    ws = beacon.workspace
    with ws.records.write() as tx:
        now = ws.clock()
        row = {
            "id": "run_" + "0" * 24,
            "project_id": ws.project_id,
            "topic_id": topic["id"],
            "status": "running",
            "started_at": now,
            "updated_at": now,
        }
        row |= {"trigger": "", "user_id": "", "error": "", "output_dir": "", "completed_phases": [], "state": {}, "progress": {}}
        tx.connection.execute(sa.insert(t.run).values(row))
    with pytest.raises(ConflictError, match="under way"):
        beacon.call("erase", memory=made["id"])
