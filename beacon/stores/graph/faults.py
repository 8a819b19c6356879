"""What a graph server's refusals mean to whoever runs it."""

from beacon.errors import BeaconError, StorageError, UnavailableError

OLDEST = "5.23"  # the first that knows the subqueries Beacon asks with
_PASSING = ("AuthenticationRateLimit", "TransactionTimedOut", "TransientError", "DatabaseUnavailable", "NotALeader")
_UNWRITABLE = ("DatabaseError", "ReadOnly", "OutOfDisk", "LowDisk")


def refusal(address: str, code: str, *, retryable: bool = False) -> BeaconError:
    """The error for a server's status code; all but a refused row leave what waits in the outbox, to be told again."""
    if "SyntaxError" in code or "ProcedureNotFound" in code:
        return UnavailableError(
            f"Neo4j at {address} does not understand what it is asked ({code}): Beacon needs Neo4j {OLDEST} or later. "
            "The embedded graph serves meanwhile.",
            url=address,
        )
    if retryable or any(part in code for part in _PASSING):
        return UnavailableError(f"Neo4j at {address} cannot answer now ({code}): try again.", url=address)
    if any(part in code for part in _UNWRITABLE):
        return UnavailableError(
            f"Neo4j at {address} cannot keep anything ({code}): look whether its disk is full or its database read-only, and at its log. "
            "Nothing is lost: what waits is written then.",
            url=address,
        )
    return StorageError(f"Neo4j at {address} refuses a statement ({code}): `beacon rebuild` makes the graph anew.")
