"""Documents worked out by several processes: the same outcome as by one, whatever becomes of the others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from beacon.domain.source import Block
from beacon.ingest import crew as module
from beacon.ingest.crew import Crew, Job
from beacon.ingest.work import Work, Worked, work_out
from beacon.llm.embedding import space_of, stored_vector
from beacon.llm.static_embedder import StaticEmbedder

WORKS = [
    Work(
        text := f"The Quay Board {n} met Otto Brandt in Oslo. Отчёт № {n} готов.\n\nIt rained 試験は六月に.",
        (Block(0, len(text), "paragraph"),),
        f"N {n}",
    )
    for n in range(120)
]
KNOWN = {"QB": "Quay Board"}


def alone() -> list[Worked]:
    return [work_out(work, KNOWN) for work in WORKS]


def pids(crew: Crew) -> list[int]:
    return [child._process.pid for child in crew._children]


def wait_for_help(jobs: list[Job]) -> None:
    assert jobs[0].done.wait(60), "no child has begun"


def finished(crew: Crew) -> list[Worked]:
    jobs = crew.submit(WORKS)
    wait_for_help(jobs)
    return crew.finish(jobs)


def test_children_come_to_what_one_process_comes_to(tmp_path: Path) -> None:
    with Crew(tmp_path, KNOWN, children=2) as crew:
        crew.hire()
        assert finished(crew) == alone()


def test_vectors_of_children_are_those_of_the_embedder(tmp_path: Path) -> None:
    embedder = StaticEmbedder()
    with Crew(tmp_path, KNOWN, children=1) as crew:
        crew.hire(space_of(embedder))
        found = next((work, worked) for work, worked in zip(WORKS, finished(crew), strict=True) if worked.vectors)
    texts = [found[0].text[p.start : p.end] for p in found[1].passages]
    assert list(found[1].vectors) == [stored_vector(row) for row in embedder.embed(texts)]


def test_other_embedder_gets_no_vectors(tmp_path: Path) -> None:
    with Crew(tmp_path, KNOWN, children=1) as crew:
        crew.hire("another/3/1")
        assert not any(worked.vectors for worked in finished(crew))


def test_killed_children_lose_nothing(tmp_path: Path) -> None:
    with Crew(tmp_path, KNOWN, children=2) as crew:
        crew.hire()
        jobs = crew.submit(WORKS)
        wait_for_help(jobs)
        for pid in pids(crew):
            os.kill(pid, signal.SIGKILL)
        assert crew.finish(jobs) == alone()


def test_children_that_cannot_start_are_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHILD", "beacon.nothing_of_that_name")
    with Crew(tmp_path, KNOWN, children=2) as crew:
        crew.hire()
        assert crew.finish(crew.submit(WORKS)) == alone()


def test_children_end_with_the_crew(tmp_path: Path) -> None:
    with Crew(tmp_path, KNOWN, children=2) as crew:
        crew.hire()
        jobs = crew.submit(WORKS)
        wait_for_help(jobs)
    assert [child._process.poll() for child in crew._children] == [0, 0]


def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from beacon.ingest.crew import Crew\n"
        f"crew = Crew(Path({str(tmp_path)!r}), {{}}, children=1); crew.hire()\n"
        "print(crew._children[0]._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
