"""Backup and restore: one archive, and the same desk from it."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from beacon.bootstrap import Beacon
from beacon.cli.main import run
from beacon.errors import InputError
from beacon.settings import Settings
from beacon.tools.backups import restore_backup

SLUG = "asteroid-2024-yr4"


@pytest.fixture(scope="module")
def archive(desk_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the sample's data folder."""
    from beacon.bootstrap import open_beacon

    beacon = open_beacon(home=str(desk_home))
    path = Path(beacon.call("backup", path=str(tmp_path_factory.mktemp("backup") / "desk.tar.gz"))["path"])
    beacon.close()
    return path


def shown(beacon: Beacon) -> dict[str, object]:
    """What a reader of the desk sees."""
    return {
        "topics": beacon.call("topic_list"),
        "reports": [beacon.call("report_show", slug=SLUG, run=n)["markdown"] for n in range(1, 7)],
        "changes": [beacon.call("change_list", slug=SLUG, run=n) for n in range(1, 7)],
        "graph": beacon.call("graph_entities"),
        "memories": beacon.call("memory_list"),
        "search": beacon.call("search", query="impact probability"),
    }


def test_a_restored_desk_is_the_desk_and_verifies(archive: Path, desk_home: Path, tmp_path: Path, opened: Callable[..., Beacon]) -> None:
    restore_backup(Settings.load(home=str(tmp_path / "new")), archive)
    restored = opened(home=str(tmp_path / "new"))
    restored.call("rebuild")
    assert restored.call("verify")["ok"]
    assert shown(restored) == shown(opened(home=str(desk_home)))


def test_the_files_of_the_outputs_come_back_byte_for_byte(archive: Path, desk_home: Path, tmp_path: Path) -> None:
    restore_backup(Settings.load(home=str(tmp_path / "new")), archive)

    def files(home: Path) -> dict[str, bytes]:
        return {str(path.relative_to(home)): path.read_bytes() for path in (home / "outputs").rglob("*") if path.is_file()}

    assert files(tmp_path / "new") == files(desk_home) != {}


def test_the_command_restores_into_an_empty_folder_and_rebuilds(archive: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["restore", str(archive), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["kept"] is None and result["rebuilt"]["chunks"] > 0 and run(["verify"]) == 0


def test_an_occupied_folder_is_refused_without_force(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["topic", "add", "Mine"])
    assert run(["restore", str(archive)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert run(["topic", "show", "mine"]) == 0


def test_with_force_what_was_there_is_kept(archive: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(["topic", "add", "Mine"])
    capsys.readouterr()
    assert run(["restore", str(archive), "--force", "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)["kept"]
    assert run(["topic", "show", SLUG]) == 0 and (Path(kept) / "beacon.sqlite").is_file() and kept.startswith(str(tmp_path))


def tar(path: Path, **members: bytes) -> Path:
    with tarfile.open(path, "w:gz") as out:
        for name, data in members.items():
            entry = tarfile.TarInfo(name.replace("__", "."))
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return path


MANIFEST = b'{"format": 1, "at": "2026-03-02T09:00:00+00:00"}'


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda p: p.write_bytes(b"just some text"), "not a backup"),
        (lambda p: p.write_bytes(b""), "not a backup"),
        (lambda p: tar(p, readme__txt=b"hello"), "not a Beacon backup"),
        (lambda p: tar(p, backup__json=b"{broken", beacon__sqlite=b"x"), "not a Beacon backup"),
        (lambda p: tar(p, backup__json=MANIFEST.replace(b"1", b"99", 1), beacon__sqlite=b"x"), "newer Beacon"),
        (lambda p: tar(p, backup__json=MANIFEST, beacon__sqlite=b""), "no tables"),
        (lambda p: tar(p, backup__json=MANIFEST, beacon__sqlite=b"this is no database" * 500), "damaged"),
    ],
    ids=["text", "empty", "another archive", "broken manifest", "newer format", "no records", "broken records"],
)
def test_what_is_no_backup_is_refused_and_nothing_is_changed(
    make: Callable[[Path], object], named: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    make(tmp_path / "file.tar.gz")
    code = run(["restore", str(tmp_path / "file.tar.gz")])
    said = capsys.readouterr().err
    assert code in (1, 2) and named in said and len(said.splitlines()) == 1
    assert not (tmp_path / "home" / "beacon.sqlite").exists()


def test_a_truncated_backup_is_refused(archive: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "half.tar.gz").write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    assert run(["restore", str(tmp_path / "half.tar.gz")]) in (1, 2)
    assert "half.tar.gz" in capsys.readouterr().err and not (tmp_path / "home" / "beacon.sqlite").exists()


@pytest.mark.parametrize("name", ["../outside.txt", "/outside.txt", "outputs/../../outside.txt"])
def test_an_archive_that_leaves_the_folder_is_refused(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as out:
        for member, data in (("backup.json", MANIFEST), ("beacon.sqlite", b""), (name, b"x")):
            entry = tarfile.TarInfo(member)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    assert run(["restore", str(tmp_path / "evil.tar.gz")]) in (1, 2)
    assert not list(tmp_path.rglob("outside.txt")) and len(capsys.readouterr().err.splitlines()) == 1


def test_a_backup_does_not_overwrite_a_file(on_desk: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "there.tar.gz").write_text("mine")
    assert run(["backup", str(tmp_path / "there.tar.gz")]) == 2
    assert "there already" in capsys.readouterr().err and (tmp_path / "there.tar.gz").read_text() == "mine"


def test_restoring_leaves_the_settings_file_alone(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text('user = "ana"')
    assert restore_backup(Settings.load(home=str(tmp_path / "home")), archive)["kept"] is None
    assert Settings.load(home=str(tmp_path / "home")).user == "ana"


def test_an_archive_is_not_restored_where_the_records_are_on_postgresql(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pg_restore"):
        restore_backup(Settings.load(home=str(tmp_path / "home"), database_url="postgresql://u@h/d"), archive)


def test_a_backup_holds_no_settings_file_and_no_other_backup(archive: Path) -> None:
    with tarfile.open(archive) as opened_archive:
        names = {name.split("/")[0] for name in opened_archive.getnames()}
    assert names == {"backup.json", "beacon.sqlite", "outputs"}
