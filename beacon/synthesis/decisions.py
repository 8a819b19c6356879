"""Decisions: what was decided on what evidence, kept as events, and opened again by evidence that came later."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from beacon.domain.event import Event
from beacon.domain.ids import make_id
from beacon.domain.insight import Decision
from beacon.errors import InputError
from beacon.stores.records.store import Tx
from beacon.synthesis.identity import keys_of
from beacon.synthesis.scoring import people_of
from beacon.workspace import Workspace

MORE_AGAINST = 1  # people who newly say the opposite, from which a decision is looked at again
GREW = 1.5  # times as many people as when it was decided
SHRANK = 0.5
KEPT_QUOTES = 8  # of each theme or opportunity, beside the decision


def decide(ws: Workspace, title: str, reason: str, theme_ids: Sequence[str], opp_ids: Sequence[str]) -> Decision:
    """The decision, with the evidence as it stood. It is an event first: what was decided is never altered."""
    now = ws.clock()
    with ws.records.write() as tx:
        rests = {
            **{key: _snapshot(tx.insights.get_insight("theme", ws.project_id, key).body) for key in theme_ids},
            **{key: _snapshot(tx.insights.get_insight("opportunity", ws.project_id, key).body) for key in opp_ids},
        }
        evidence = {"themes": list(theme_ids), "opportunities": list(opp_ids), "rests_on": rests}
        event_id = make_id("evt", ws.project_id, "decision_made", title, now)
        text = f"Decided: {title}" + (f". Because: {reason}" if reason else "")
        payload = {
            "themes": list(theme_ids),
            "opportunities": list(opp_ids),
            "quotes": [q for one in rests.values() for q in one["quotes"]],
        }
        tx.events.append(Event(event_id, ws.project_id, "decision_made", now, now, text, payload, ws.user_id, "insights"))
        made = Decision(make_id("dec", event_id), ws.project_id, event_id, title, now, now, reason, evidence=evidence, user_id=ws.user_id)
        tx.insights.add_decision(made)
    return made


def _snapshot(body: Mapping[str, Any]) -> dict[str, Any]:
    against = body.get("contradicting", [])
    return {
        "people": people_of(body["quotes"]),
        "against": people_of(against),
        "known": sorted(keys_of([*body["quotes"], *against])),
        "quotes": [_cited(quote) for quote in body["quotes"][:KEPT_QUOTES]],
    }


def _cited(quote: Mapping[str, Any]) -> dict[str, Any]:
    return {name: quote[name] for name in ("chunk_id", "source_id", "version_id", "quote", "start", "end", "url", "title")}


def reopen_decisions(ws: Workspace, tx: Tx, now: datetime) -> list[str]:
    """The decisions that later evidence opens again, each as an event with the quotes that do."""
    opened: list[str] = []
    for decision in tx.insights.decisions(ws.project_id):
        if decision.status != "standing":
            continue
        reasons, quotes = _news(ws, tx, decision)
        if reasons:
            payload = {"decision_id": decision.id, "reasons": reasons, "quotes": quotes}
            event_id = make_id("evt", ws.project_id, "decision_reopened", decision.id, now)
            text = f"Open again: {decision.title}. {' '.join(reasons)}"
            tx.events.append(Event(event_id, ws.project_id, "decision_reopened", now, now, text, payload, ws.user_id, "insights"))
            tx.insights.update_decision(
                decision.id, now, status="reopened", reopened={**payload, "event_id": event_id, "at": now.isoformat()}
            )
            opened.append(decision.id)
    return opened


def _news(ws: Workspace, tx: Tx, decision: Decision) -> tuple[list[str], list[dict[str, Any]]]:
    """Why the decision should be looked at again, and the new quotes that say so."""
    reasons: list[str] = []
    quotes: list[dict[str, Any]] = []
    kinds = [("theme", key) for key in decision.evidence.get("themes", ())] + [
        ("opportunity", key) for key in decision.evidence.get("opportunities", ())
    ]
    for kind, key in kinds:
        then = decision.evidence["rests_on"].get(key)
        now = next((one for one in tx.insights.insights(kind, ws.project_id) if one.id == key), None)
        if then is None or now is None:
            continue
        against = now.body.get("contradicting", [])
        newly = set(people_of(against)) - set(then["against"])
        pro, before = len(people_of(now.body["quotes"])), max(1, len(then["people"]))
        fresh = [q for q in (*against, *now.body["quotes"]) if not keys_of([q]) & set(then["known"])]
        if len(newly) >= MORE_AGAINST:
            reasons.append(f"{len(newly)} more {'people say' if len(newly) != 1 else 'person says'} the opposite of “{now.name}”.")
        elif pro >= GREW * before or pro <= SHRANK * before:
            reasons.append(f"“{now.name}” now rests on {pro} people, where it rested on {before}.")
        else:
            continue
        quotes += [_cited(quote) for quote in fresh[:KEPT_QUOTES]]
    return reasons, quotes


def settle_decision(ws: Workspace, decision_id: str, status: str, reason: str) -> Decision:
    """The decision as a person leaves it: standing again on today's evidence, or closed."""
    now = ws.clock()
    with ws.records.write() as tx:
        decision = tx.insights.get_decision(ws.project_id, decision_id)
        if decision.status == "closed":
            raise InputError(f"The decision '{decision.title}' is closed: make a new one.", decision_id=decision_id)
        evidence = dict(decision.evidence)
        if status == "standing":
            found = {one.id: one for kind in ("theme", "opportunity") for one in tx.insights.insights(kind, ws.project_id)}
            evidence["rests_on"] = {key: _snapshot(found[key].body) if key in found else old for key, old in evidence["rests_on"].items()}
        kind = "decision_upheld" if status == "standing" else "decision_closed"
        text = f"{'Upheld' if status == 'standing' else 'Closed'}: {decision.title}" + (f". Because: {reason}" if reason else "")
        event = Event(
            make_id("evt", ws.project_id, kind, decision_id, now),
            ws.project_id,
            kind,
            now,
            now,
            text,
            {"decision_id": decision_id},
            ws.user_id,
            "insights",
        )
        tx.events.append(event)
        tx.insights.update_decision(decision_id, now, status=status, evidence=evidence)
        return tx.insights.get_decision(ws.project_id, decision_id)
