"""When jobs are due: what people write as cron, and the sweep that starts each due job once.

The schedule table is the truth; whoever sweeps steps `next_at` forward in the transaction that queues the job, so however many
processes sweep and however long the machine slept, one due instant starts one job and missed ones are made up for by one.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.run import Schedule
from beacon.errors import InputError, NotFoundError
from beacon.runs import durable
from beacon.runs.jobs import find_active, new_run
from beacon.runs.project_jobs import JOBS
from beacon.runs.queueing import queue_run
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
HINT = "write 'mon 08:00', 'daily 07:30', 'weekdays 9:00', 'hourly', 'every 15 min', or a cron line such as '0 8 * * 1'"
NIGHTLY = "daily 03:00"
NEVER = frozenset({"", "never", "off", "none"})
_CLOCK = re.compile(r"^(?P<days>[a-z,\- ]+?)\s+(?:at\s+)?(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?$")
_EVERY = re.compile(r"^every\s+(?P<n>\d{1,3})\s*(?P<unit>min|mins|minutes?|h|hours?)$")
_GROUPS = {"daily": "*", "every day": "*", "weekdays": "mon-fri", "weekends": "sat,sun", "weekly": "mon"}


def parse_schedule(text: str) -> str:
    """The five-field cron line of what a person wrote. Raises InputError."""
    plain = " ".join(text.lower().split())
    if plain == "hourly":
        return "0 * * * *"
    if plain in _GROUPS:
        plain += " 08:00"
    if found := _EVERY.match(plain):
        return _interval(text, int(found["n"]), found["unit"])
    if (found := _CLOCK.match(plain)) and len(plain.split()) < 5:
        hour, minute = int(found["hour"]), int(found["minute"] or 0)
        if hour > 23 or minute > 59:
            raise InputError(f"'{text}' has no such time of day: {HINT}.", every=text)
        return f"{minute} {hour} * * {_days(text, found['days'])}"
    if len(plain.split()) == 5:
        next_at(plain, "UTC", datetime(2026, 1, 1, tzinfo=UTC))
        return plain
    raise InputError(f"'{text}' is no schedule: {HINT}.", every=text)


def _interval(text: str, n: int, unit: str) -> str:
    whole = 24 if unit.startswith("h") else 60
    if not n or n > whole or whole % n:
        fit = ", ".join(str(k) for k in range(1, whole) if whole % k == 0)
        raise InputError(f"'{text}' does not come out even: use one of {fit}, or a cron line.", every=text)
    if whole == 24:
        return "0 0 * * *" if n == 24 else f"0 */{n} * * *"
    return "0 * * * *" if n == 60 else f"*/{n} * * * *"


def _days(text: str, words: str) -> str:
    if words in _GROUPS:
        return _GROUPS[words]
    days = re.split(r"\s*,\s*|\s+", words.strip())
    short = ["-".join(part[:3] for part in day.split("-")) for day in days]
    for day in short:
        if not day or any(part not in DAYS for part in day.split("-")):
            raise InputError(f"'{text}' has a day that is none: {HINT}.", every=text)
    return ",".join(short)


@lru_cache(maxsize=512)
def _triggers(cron: str, tz: str) -> tuple[Any, ...]:
    """One trigger, or two where both days are restricted: cron takes either, APScheduler would take both."""
    from apscheduler.triggers.cron import CronTrigger

    minute, hour, day, month, weekday = cron.split()
    # Cron counts the days of the week from Sunday, APScheduler from Monday: names mean the same to both.
    weekday = re.sub(r"(?<![/\d])([0-7])(?!\d)", lambda found: DAYS[int(found[1]) % 7], weekday.replace("?", "*"))
    weekday = re.sub(r"sun-(\w{3})", lambda found: ",".join(DAYS[: DAYS.index(found[1]) + 1]), weekday)
    day = day.replace("?", "*")
    pairs = [(day, "*"), ("*", weekday)] if day != "*" and weekday != "*" else [(day, weekday)]
    common = {"minute": minute, "hour": hour, "month": month, "timezone": ZoneInfo(tz)}
    return tuple(CronTrigger(day=d, day_of_week=w, **common) for d, w in pairs)


def next_at(cron: str, tz: str, after: datetime) -> datetime:
    """The first due instant after `after`, in UTC. A time of day comes once a day, also where the clocks are set back.

    Raises InputError for a line that is no cron, or is never due.
    """
    zone = _zone(tz)
    found = _first(cron, tz, after)
    fixed_hour = not set("*/") & set(cron.split()[1])
    if fixed_hour and found.astimezone(zone).replace(tzinfo=None) == after.astimezone(zone).replace(tzinfo=None, second=0, microsecond=0):
        return _first(cron, tz, found)  # the same time on the clock an hour later: set back
    return found


def _zone(tz: str) -> ZoneInfo:
    try:
        return ZoneInfo(tz)
    except (KeyError, ValueError, OSError):
        raise InputError(f"'{tz}' is no time zone: use a name such as Europe/Berlin or UTC.", tz=tz) from None


def _first(cron: str, tz: str, after: datetime) -> datetime:
    try:
        times = [one.get_next_fire_time(None, after + timedelta(milliseconds=1)) for one in _triggers(cron, tz)]
    except (ValueError, KeyError) as error:
        raise InputError(f"'{cron}' is no schedule ({error}): {HINT}.", every=cron) from None
    due: list[datetime] = [time.astimezone(UTC) for time in times if time is not None]
    if not due:
        raise InputError(f"'{cron}' is never due: {HINT}.", every=cron)
    first: datetime = min(due)
    return first


def set_schedule(ws: Workspace, kind: str, target: str, every: str) -> Schedule | None:
    """The schedule of this job, new or changed; None when `every` is "never" and it was taken away. Raises InputError."""
    if kind != "research" and kind not in JOBS:
        raise InputError(f"There is no job '{kind}': schedule research or {', '.join(sorted(JOBS))}.", kind=kind)
    key = make_id("sch", ws.project_id, kind, target)
    if every.strip().lower() in NEVER:
        with ws.records.write() as tx:
            tx.runs.remove_schedule(key)
        return None
    cron, tz = parse_schedule(every), ws.settings.timezone
    schedule = Schedule(
        id=key, project_id=ws.project_id, kind=kind, target=target, cron=cron, tz=tz,
        next_at=next_at(cron, tz, ws.clock()), user_id=ws.user_id,
    )  # fmt: skip
    with ws.records.write() as tx:
        tx.runs.put_schedule(schedule)
    return schedule


def offer_consolidation(ws: Workspace) -> None:
    """Give the project its nightly consolidation, once: who takes it away is not given it again."""
    name = f"consolidation offered:{ws.project_id}:{ws.user_id}"
    with ws.records.write() as tx:
        if tx.projects.value(name) is not None:
            return
        tx.projects.set_value(name, {"every": NIGHTLY}, ws.clock())
        if any(s.kind == "consolidation" for s in tx.runs.schedules(ws.project_id)):
            return
    set_schedule(ws, "consolidation", "", NIGHTLY)


def latest_due(schedule: Schedule, now: datetime) -> tuple[datetime, datetime]:
    """(the last instant that was due by now, the next one): what was missed in between is made up for by the last."""
    due, following = schedule.next_at, next_at(schedule.cron, schedule.tz, schedule.next_at)
    floor = now - timedelta(seconds=schedule.grace_s)
    if following < floor:  # too late anyway: no need to count through what was missed
        due, following = floor, next_at(schedule.cron, schedule.tz, floor)
        if following > now:
            return schedule.next_at, following
    while following <= now:
        due, following = following, next_at(schedule.cron, schedule.tz, following)
    return due, following


def sweep(ws: Workspace) -> list[str]:
    """The ids of the jobs started now, over all projects: one for each schedule that is due and not too late."""
    now = ws.clock()
    with ws.records.read() as tx:
        schedules = tx.runs.schedules()
    _bring_forward(ws, schedules, now)
    if not any(one.enabled and one.next_at <= now for one in schedules):
        return []
    client = durable.client_of(ws.records)
    started: list[str] = []
    with ws.records.write() as tx:
        for schedule in tx.runs.due_schedules(now):
            due, following = latest_due(schedule, now)
            job = _start(ws, tx, client, schedule, due) if now - due <= timedelta(seconds=schedule.grace_s) else ""
            if job:
                started.append(job)
            tx.runs.put_schedule(replace(schedule, next_at=following, last_at=due, last_job=job or schedule.last_job))
    return started


def _bring_forward(ws: Workspace, schedules: Sequence[Schedule], now: datetime) -> None:
    """What was last due in the future is due anew from now on: the clock was set back."""
    for one in schedules:
        if one.last_at and one.last_at > now:
            with ws.records.write() as tx:
                tx.runs.put_schedule(replace(one, next_at=next_at(one.cron, one.tz, now), last_at=now))


def _start_job(tx: Tx, client: Any, schedule: Schedule, due: datetime) -> str:
    job_id = f"{make_id('job', schedule.id, due)}.1"
    arguments = {"trigger": "schedule"}
    durable.enqueue(client, tx.connection, "project_job", job_id, schedule.kind, schedule.project_id, schedule.user_id, arguments)
    return job_id


def _start(ws: Workspace, tx: Tx, client: Any, schedule: Schedule, due: datetime) -> str:
    if schedule.kind != "research":
        return _start_job(tx, client, schedule, due)
    try:
        topic = tx.topics.get(schedule.project_id, schedule.target)
        if (active := find_active(tx, topic)) is not None:
            tx.events.append(
                _skipped(ws, schedule, due, f"A scheduled run of '{topic.title}' was left out: the run {active.id} is {active.status}.")
            )
            return ""
        run_id = make_id("run", schedule.id, due)
        if tx.runs.find(run_id) is not None:
            return ""
        user = replace_user(ws, schedule)
        run = new_run(user, tx, topic, as_of=None, trigger="schedule", run_id=run_id)
    except (NotFoundError, InputError) as error:
        tx.events.append(_skipped(ws, schedule, due, f"A scheduled run was left out: {error.message}"))
        return ""
    queue_run(user, tx, client, run, topic.gates)
    return run.id


def replace_user(ws: Workspace, schedule: Schedule) -> Workspace:
    """The workspace as the schedule's owner."""
    from threading import Lock

    return replace(ws, project_id=schedule.project_id, user_id=schedule.user_id or ws.user_id, _lock=Lock())


def _skipped(ws: Workspace, schedule: Schedule, due: datetime, text: str) -> Event:
    now = ws.clock()
    return Event(
        id=make_id("evt", schedule.id, "run_skipped", due), project_id=schedule.project_id, type="run_skipped", at=now, recorded_at=now,
        text=text, payload={"schedule_id": schedule.id, "due": due.isoformat(), "topic_id": schedule.target}, user_id=schedule.user_id,
        channel="schedule",
    )  # fmt: skip
