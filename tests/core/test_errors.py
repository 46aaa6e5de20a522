from __future__ import annotations

import pickle

import pytest

from fairdeal.errors import EvidenceError, FairdealError, MalformedError, UnsupportedError, UsageError


def test_whose_fault_it_is_is_the_class_and_the_code_is_stable() -> None:
    assert FairdealError.code == "error"
    assert MalformedError("f", "r").code == "malformed"
    assert UnsupportedError("f", "r").code == "unsupported"
    assert EvidenceError("bad-proof", "m").code == "bad-proof"
    assert UsageError("m").code == "usage"
    assert issubclass(UnsupportedError, MalformedError)
    for kind in (MalformedError, EvidenceError, UsageError):
        assert issubclass(kind, FairdealError)
    assert issubclass(MalformedError, ValueError)
    assert issubclass(UsageError, ValueError)
    assert not issubclass(EvidenceError, ValueError)


def test_a_malformed_error_names_field_and_rule() -> None:
    error = MalformedError("terms.seats", "must be an integer from 2 to 4")
    assert (error.field, error.rule) == ("terms.seats", "must be an integer from 2 to 4")
    assert str(error) == "terms.seats: must be an integer from 2 to 4"
    assert str(MalformedError("", "must be an object")) == "must be an object"


@pytest.mark.parametrize(
    "error",
    [
        FairdealError("m"),
        MalformedError("f", "r"),
        MalformedError("", "r"),
        UnsupportedError("f", "r"),
        EvidenceError("c", "m"),
        UsageError("m"),
    ],
)
def test_errors_cross_processes(error: FairdealError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # made on the line it is read on
    assert type(copy) is type(error)
    assert (str(copy), copy.code) == (str(error), error.code)
    assert vars(copy) == vars(error)
