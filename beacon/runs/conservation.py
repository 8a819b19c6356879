"""What a step of a run may never lose: facts, and what its topic remembers. Checked before the step's transaction ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from beacon.domain.run import Run
from beacon.domain.topic import MAX_SEEN_URLS, TopicMemory
from beacon.errors import RefusedError
from beacon.stores.records import tables as t
from beacon.stores.records.store import Tx

SHOWN = 3  # lost facts that the refusal names
NOT_CURRENT = frozenset({"superseded", "contradicted", "retracted", "archived"})


@dataclass(frozen=True, slots=True)
class Stock:
    """The project's facts (id → text and status) and the memory of the run's topic."""

    facts: dict[str, tuple[str, str, bool]]  # text, status, retired
    memory: TopicMemory | None
    sources: int  # that the topic reads and that were not withdrawn


@contextmanager
def conserving(tx: Tx, run: Run) -> Iterator[None]:
    """Nothing is lost in the block. Raises RefusedError saying what would be: the transaction is then rolled back whole."""
    before = take_stock(tx, run)
    yield
    if problem := find_loss(before, take_stock(tx, run)):
        raise RefusedError(f"{problem}. Nothing was changed; `beacon verify` checks the records, then resume the run.", run_id=run.id)


def take_stock(tx: Tx, run: Run) -> Stock:
    """What there is now."""
    m = t.memory.c
    query = sa.select(m.id, m.text, m.status, m.retired_at).where(m.project_id == run.project_id, m.tier == "semantic")
    facts = {str(row.id): (str(row.text), str(row.status), row.retired_at is not None) for row in tx.connection.execute(query)}
    topic = tx.topics.get(run.project_id, run.topic_id)
    joined = t.topic_source.join(t.source, t.source.c.id == t.topic_source.c.source_id)
    count = sa.select(sa.func.count()).select_from(joined)
    sources = tx.connection.scalar(count.where(t.topic_source.c.topic_id == topic.id, t.source.c.status == "current")) or 0
    return Stock(facts, tx.topics.memory(topic), int(sources))


def find_loss(before: Stock, after: Stock) -> str:
    """What was there before and is not kept, retired or replaced after, in words; empty when nothing is lost."""
    gone = [text for key, (text, _, _) in sorted(before.facts.items()) if key not in after.facts]
    if gone:
        return f"{_count(len(gone))} would be lost ({_named(gone)})"
    silent = [
        text
        for key, (text, status, _) in sorted(before.facts.items())
        if status == "current" and after.facts[key][1] != "current" and not (after.facts[key][1] in NOT_CURRENT and after.facts[key][2])
    ]
    if silent:
        return f"{_count(len(silent))} would end without a date and a reason ({_named(silent)})"
    return _memory_loss(before.memory, after.memory, after.sources)


def _memory_loss(before: TopicMemory | None, after: TopicMemory | None, sources: int) -> str:
    if before is None:
        return ""
    if after is None:
        return "What the topic remembers would be lost"
    if after.run_count < before.run_count:
        return f"The topic would forget runs: {before.run_count} were counted, {after.run_count} would be"
    lost = set(before.seen_urls) - set(after.seen_urls)
    if lost and len(after.seen_urls) < MAX_SEEN_URLS:
        return f"The topic would forget {len(lost)} of {len(before.seen_urls)} addresses it has read"
    if before.key_facts and not after.key_facts and sources:
        return f"The topic's {len(before.key_facts)} key facts would be lost, although its sources are still there"
    return ""


def _count(n: int) -> str:
    return "1 fact" if n == 1 else f"{n} facts"


def _named(texts: list[str]) -> str:
    shown = "; ".join(f"'{text[:80]}'" for text in texts[:SHOWN])
    return f"{shown} and more" if len(texts) > SHOWN else shown
