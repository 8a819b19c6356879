"""Backup and restore of the data folder: one archive, one moment."""

import gzip
import json
import os
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

import sqlalchemy as sa

from beacon.errors import ConflictError, InputError, RefusedError, StorageError
from beacon.settings import SETTINGS_FILE, Settings
from beacon.stores.records.schema import current_revision
from beacon.stores.records.store import Records
from beacon.workspace import Workspace

FORMAT = 1
RECORDS_NAME = "beacon.sqlite"
MANIFEST_NAME = "backup.json"
KEPT = "before-restore"  # folders of what a restore replaced
STAGING = ".restoring-"
MAX_RESTORED_BYTES = 50_000_000_000


def write_backup(ws: Workspace, path: Path | None) -> dict[str, Any]:
    """Where the archive is and how big. It holds the records and outputs; vectors and graph are rebuilt from them."""
    home, now = ws.settings.home, ws.clock()
    target = path or home / "backups" / f"beacon-{now:%Y%m%dT%H%M%S}.tar.gz"
    if target.is_dir():
        target = target / f"beacon-{now:%Y%m%dT%H%M%S}.tar.gz"
    if target.exists():
        raise ConflictError(f"{target} is there already: choose another name.", path=str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            copy = Path(folder) / RECORDS_NAME
            ws.records.backup_to(copy)
            manifest = Path(folder) / MANIFEST_NAME
            manifest.write_text(json.dumps({"format": FORMAT, "at": now.isoformat()}), encoding="utf-8")
            unfinished = Path(folder) / "archive"
            with tarfile.open(unfinished, "w:gz") as archive:
                archive.add(manifest, MANIFEST_NAME)
                archive.add(copy, RECORDS_NAME)
                if ws.settings.outputs_dir.is_dir():
                    archive.add(ws.settings.outputs_dir, "outputs")
            os.replace(unfinished, target)
    except OSError as error:
        raise StorageError(f"The backup {target} cannot be written: {error.strerror or error}.") from error
    return {"path": str(target), "bytes": target.stat().st_size, "at": now.isoformat()}


def restore_backup(settings: Settings, path: Path, *, force: bool = False) -> dict[str, Any]:
    """What was restored into an empty data folder (or over the present one, whose contents are kept inside it, with `force`).

    Nothing is changed before the whole archive was unpacked and found sound. The settings file stays as it is.
    """
    home = settings.home
    if not settings.is_sqlite:
        raise InputError("The records are on PostgreSQL: restore them with pg_restore, and run `beacon rebuild`.")
    _check_archive(path)
    old = _contents(home)
    if old and not force:
        raise ConflictError(
            f"The data folder {home} is not empty: stop Beacon and add --force; what is there is kept in a folder inside it.",
            home=str(home),
        )
    settings.make_home()
    with tempfile.TemporaryDirectory(dir=home, prefix=STAGING) as folder:
        fresh = Path(folder) / "fresh"
        at = _unpack(path, fresh)
        kept = _set_aside(home, old)
        for child in sorted(fresh.iterdir()):
            os.replace(child, home / child.name)
    return {"home": str(home), "backup_of": at, "kept": str(kept) if kept else None}


def _contents(home: Path) -> list[Path]:
    """What a restore would replace."""
    if not home.is_dir():
        return []
    stays = (SETTINGS_FILE, "lost+found")
    return sorted(child for child in home.iterdir() if child.name not in stays and not child.name.startswith((KEPT, STAGING)))


def _set_aside(home: Path, old: list[Path]) -> Path | None:
    if not old:
        return None
    n = 1
    while (kept := home / f"{KEPT}-{n}").exists():
        n += 1
    kept.mkdir()
    for child in old:
        os.replace(child, kept / child.name)
    return kept


def _unpack(path: Path, fresh: Path) -> str:
    """When the backup was made. Its files are then in `fresh`. Raises InputError, StorageError."""
    try:
        with tarfile.open(path, "r:*") as archive:
            archive.extractall(fresh, filter="data")
        manifest = json.loads((fresh / MANIFEST_NAME).read_text(encoding="utf-8"))
        form, at = int(manifest["format"]), str(manifest["at"])
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a Beacon backup, or a damaged one: it cannot be unpacked.") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be unpacked into {fresh.parent}: {error.strerror or error}.") from error
    if form > FORMAT:
        raise InputError(f"{path} was written by a newer Beacon (format {form}, this one knows {FORMAT}): install that one.")
    (fresh / MANIFEST_NAME).unlink()
    _check_records(fresh / RECORDS_NAME, path)
    return at


def _check_archive(path: Path) -> None:
    try:
        with tarfile.open(path, "r:*") as archive:
            members = archive.getmembers()
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise InputError(f"{path} is not a backup that can be read: it is no archive, or a damaged one.") from error
    if not {MANIFEST_NAME, RECORDS_NAME} <= {member.name for member in members}:
        raise InputError(f"{path} is not a Beacon backup: it has no {RECORDS_NAME}.")
    if strange := next((member.name for member in members if not _belongs(member)), None):
        raise RefusedError(f"{path} is refused: it holds '{strange}', which no backup of Beacon does.", member=strange)
    if sum(member.size for member in members) > MAX_RESTORED_BYTES:
        raise InputError(f"{path} unpacks to more than {MAX_RESTORED_BYTES // 10**9} GB.")


def _belongs(member: tarfile.TarInfo) -> bool:
    parts = PurePosixPath(member.name).parts
    if member.name in (MANIFEST_NAME, RECORDS_NAME):
        return member.isfile()
    return parts[:1] == ("outputs",) and ".." not in parts and (member.isfile() or member.isdir())


def _check_records(file: Path, path: Path) -> None:
    records = Records(f"sqlite:///{file}")
    try:
        revision = current_revision(records.engine)
        with records.read() as tx:
            sound = tx.connection.exec_driver_sql("PRAGMA integrity_check").scalar()
        records.migrate()  # refuses the tables of a newer Beacon
    except sa.exc.DatabaseError as error:
        raise StorageError(f"The records in {path} are damaged: {error.orig}.") from error
    finally:
        records.close()
    if sound != "ok" or revision is None:
        raise StorageError(f"The records in {path} are damaged: {sound if sound != 'ok' else 'they have no tables'}.")
