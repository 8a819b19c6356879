"""Chroma's own files, repaired and cleaned while no server has them open.

Chroma writes every row to a log in its SQLite file first, which survives any kill, and then updates the files of the vector index in
place, which does not: a kill meanwhile leaves an index that crashes the server or silently misses rows. So Beacon lets Chroma keep
the whole log, and has it build an index anew from the log where a kill may have cut off a write.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from beacon.errors import StorageError

DATABASE = "chroma.sqlite3"
BUSY_S = 10.0
KEEP = {"automatically_purge": False, "_type": "EmbeddingsQueueConfigurationInternal"}


def keep_log(data: Path) -> None:
    """Tells Chroma not to shorten its log. Safe beside a running server, in another process than the server's."""
    with _open(data) as connection:
        if not _keeps_log(connection):
            connection.execute("INSERT OR REPLACE INTO embeddings_queue_config (id, config_json_str) VALUES (1, ?)", (json.dumps(KEEP),))


def discard_indexes(data: Path, written_since: float) -> list[str]:
    """The vector indexes written to at or after that time: removed, to be built anew from the log with the next query."""
    if not (data / DATABASE).exists():
        return []
    suspects = sorted(folder for folder in data.iterdir() if folder.is_dir() and _written_at(folder) >= written_since)
    with _open(data) as connection:
        if not _keeps_log(connection):
            return []
        # The mark goes first: without it the log is read from its start, whatever is left of the folder.
        connection.executemany("DELETE FROM max_seq_id WHERE segment_id = ?", [(folder.name,) for folder in suspects])
    for folder in suspects:
        shutil.rmtree(folder)
    return [folder.name for folder in suspects]


def vacuum(data: Path) -> None:
    """Rewrites the files without what was dropped: free pages, the log of dropped collections, their indexes."""
    if not (data / DATABASE).exists():
        return
    with _open(data) as connection:
        dropped = "substr(topic, -36) NOT IN (SELECT id FROM collections)"  # a topic's name ends in its collection's id
        connection.execute(f"DELETE FROM embeddings_queue WHERE {dropped}")
        connection.commit()
        connection.execute("VACUUM")
        kept = {str(row[0]) for row in connection.execute("SELECT id FROM segments")}
    for folder in data.iterdir():
        if folder.is_dir() and folder.name not in kept:
            shutil.rmtree(folder)


@contextmanager
def _open(data: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(data / DATABASE, timeout=BUSY_S)) as connection, connection:
            yield connection
    except sqlite3.Error as error:
        message = f"Chroma's file {data / DATABASE} cannot be used ({error}): move the folder {data} away and run `beacon rebuild`."
        raise StorageError(message, path=data / DATABASE) from error


def _keeps_log(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT config_json_str FROM embeddings_queue_config WHERE id = 1").fetchone()
    return bool(row) and json.loads(row[0]).get("automatically_purge") is False


def _written_at(folder: Path) -> float:
    return max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)
