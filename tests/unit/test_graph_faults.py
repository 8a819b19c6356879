"""What a graph server's refusals become."""

import pytest

from beacon.errors import StorageError, UnavailableError
from beacon.stores.graph.faults import refusal

AT = "bolt://graph.example:7687"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("Neo.ClientError.Statement.SyntaxError", "5.23 or later"),
        ("Neo.DatabaseError.Statement.ExecutionFailed", "disk is full"),
        ("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase", "disk is full"),
        ("Neo.TransientError.General.OutOfMemoryError", "try again"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", "try again"),
    ],
)
def test_what_the_server_cannot_do_now_waits_and_says_why(code: str, said: str) -> None:
    error = refusal(AT, code)
    assert isinstance(error, UnavailableError) and said in error.message and AT in error.message and code in error.message


def test_a_row_that_breaks_a_constraint_is_no_reason_to_wait() -> None:
    assert isinstance(refusal(AT, "Neo.ClientError.Schema.ConstraintValidationFailed"), StorageError)
