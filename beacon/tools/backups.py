"""Backup and restore of the data folder: one archive, one moment."""

import json
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from beacon.errors import ConflictError, InputError, StorageError
from beacon.settings import Settings
from beacon.stores.records.store import Records
from beacon.workspace import Workspace

FORMAT = 1
RECORDS_NAME = "beacon.sqlite"
MANIFEST_NAME = "backup.json"
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
    """What was restored into an empty data folder (or over the present one, which is kept beside it, with `force`)."""
    home = settings.home
    _check_archive(path)
    occupied = home.exists() and any(home.iterdir())
    if occupied and not force:
        raise ConflictError(
            f"The data folder {home} is not empty: stop Beacon and add --force; what is there is kept beside it.", home=str(home)
        )
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        fresh = Path(folder) / "home"
        with tarfile.open(path, "r:*") as archive:
            archive.extractall(fresh, filter="data")
        at = json.loads((fresh / MANIFEST_NAME).read_text(encoding="utf-8"))["at"]
        _check_records(fresh / RECORDS_NAME)
        (fresh / MANIFEST_NAME).unlink()
        kept = None
        if occupied:
            kept = home.with_name(f"{home.name}-before-restore")
            n = 1
            while kept.exists():
                n += 1
                kept = home.with_name(f"{home.name}-before-restore-{n}")
            home.rename(kept)
        elif home.exists():
            home.rmdir()
        shutil.move(str(fresh), home)
    return {
        "home": str(home),
        "backup_of": at,
        "kept": str(kept) if kept else None,
        "next": "run `beacon rebuild` to make vectors and graph anew",
    }


def _check_archive(path: Path) -> None:
    try:
        with tarfile.open(path, "r:*") as archive:
            members = archive.getmembers()
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"{path} is not a backup that can be read: {error}.") from None
    names = {member.name for member in members}
    if not {MANIFEST_NAME, RECORDS_NAME} <= names:
        raise InputError(f"{path} is not a Beacon backup: it has no {RECORDS_NAME}.")
    if sum(member.size for member in members) > MAX_RESTORED_BYTES:
        raise InputError(f"{path} unpacks to more than {MAX_RESTORED_BYTES // 10**9} GB.")


def _check_records(file: Path) -> None:
    records = Records(f"sqlite:///{file}")
    try:
        with records.read() as tx:
            sound = tx.connection.exec_driver_sql("PRAGMA integrity_check").scalar()
    finally:
        records.close()
    if sound != "ok":
        raise StorageError(f"The records in the backup are damaged: {sound}.")
