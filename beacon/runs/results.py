"""What a phase gives back: updates, drafts and effects. It writes nothing itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from beacon.domain.run import ResearchState
from beacon.stores.records.store import Tx


def no_effects(_tx: Tx) -> None:
    """Nothing further to write."""


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A draft to keep: `part` names it within its phase and its file."""

    phase: str
    part: str
    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """What one step found. All of it is stored in one transaction with the step's checkpoint.

    `outcome` is what the checkpoint keeps and the flow decides by; `effects` are further writes, in that same transaction.
    """

    updates: ResearchState = field(default_factory=lambda: ResearchState())
    drafts: tuple[NewDraft, ...] = ()
    outcome: Mapping[str, Any] = field(default_factory=dict)
    effects: Callable[[Tx], None] = no_effects
    message: str = ""
