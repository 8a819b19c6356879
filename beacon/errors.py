"""The errors Beacon raises on purpose.

BeaconError
├── InputError          what was given cannot be used; the message names it and says what to do (exit code 2)
│   ├── NotFoundError   no such thing
│   ├── ConflictError   it exists already, or changed meanwhile
│   └── RefusedError    understood and not allowed: a private address, a path that leaves its folder
├── EvidenceError       a quote that is not the exact slice of its source
├── UnavailableError    a server or the network did not answer: try again (the only kind that is retried)
├── ModelError          a model's reply cannot be used
│   └── BudgetError     the run or the chat has spent what it may
└── StorageError        the data folder or database cannot be read or written
"""


class BeaconError(Exception):
    """Base of all. `facts` are what a caller may want besides the message."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class InputError(BeaconError):
    """What was given cannot be used."""


class NotFoundError(InputError):
    """No such thing."""


class ConflictError(InputError):
    """It exists already, or changed meanwhile."""


class RefusedError(InputError):
    """Understood, and not allowed."""


class EvidenceError(BeaconError):
    """A quote that is not the exact slice of its source."""


class UnavailableError(BeaconError):
    """A server or the network did not answer; the same call may succeed later."""


class ModelError(BeaconError):
    """A model's reply cannot be used."""


class BudgetError(ModelError):
    """The run or the chat has spent what it may."""


class StorageError(BeaconError):
    """The data folder or database cannot be read or written."""
