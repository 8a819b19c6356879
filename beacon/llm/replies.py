"""What every adapter does with a finished reply: usable text, or the ModelError that says why not."""

from typing import NoReturn, TypeVar

import pydantic

from beacon.errors import ModelError
from beacon.llm.ports import Usage
from beacon.llm.structured import Answer
from beacon.llm.untrusted import well_formed


class Wire(pydantic.BaseModel):
    """A part of what a provider sends; fields Beacon does not read are left out."""

    model_config = pydantic.ConfigDict(extra="ignore")


W = TypeVar("W", bound=Wire)


def read_wire(shape: type[W], raw: object, model: str) -> W:
    """The provider library's object in our shape: the library itself does not check what a server sent."""
    try:
        return shape.model_validate(raw.model_dump(warnings=False) if isinstance(raw, pydantic.BaseModel) else raw)
    except (pydantic.ValidationError, AttributeError):
        unexpected(model, "it is not of the form the provider documents")


def finished(text: str, usage: Usage) -> Answer:
    """The answer; an empty one is a ModelError."""
    if not text.strip():
        raise ModelError(f"The reply of {usage.model} is empty.", reason="empty", usage=usage, model=usage.model)
    return Answer(well_formed(text), usage)


def cut(usage: Usage, max_tokens: int) -> NoReturn:
    raise ModelError(
        f"The reply of {usage.model} was cut off at {max_tokens} tokens: ask for less, or allow more.",
        reason="cut",
        usage=usage,
        model=usage.model,
    )


def refused(usage: Usage, why: str) -> NoReturn:
    detail = " ".join(well_formed(why).split())[:300]
    raise ModelError(f"{usage.model} refused to answer{f': {detail}' if detail else ''}.", reason="refused", usage=usage, model=usage.model)


def unexpected(model: str, what: str, usage: Usage | None = None) -> NoReturn:
    raise ModelError(f"The reply of {model} cannot be used: {what}.", reason="shape", usage=usage, model=model)
