from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from fairdeal import encoding
from fairdeal.errors import MalformedError

# What json.loads, int(), b64decode and fromhex let through, and nobody else should.

NOT_HEX = {
    "not hex digits": "zz" * 32,
    "upper case": "AB" * 32,
    "prefixed": "0x" + "00" * 31,
    "odd length": "0" * 63,
    "31 bytes": "00" * 31,
    "33 bytes": "00" * 33,
    "empty": "",
    "quoted": '"' + "00" * 31 + '"',
    "spaced": "00 " * 21 + "0",
    "a newline after": "00" * 32 + "\n",
    "a newline within": "00" * 31 + "\n0",
    "another script's digits": "٠" * 64,
    "full-width digits": "０" * 64,
    "underscores": "0_" * 32,
    "a sign": "+" + "0" * 63,
    "undefined": "undefined",
    "None": "None",
}


@pytest.mark.parametrize("text", NOT_HEX.values(), ids=NOT_HEX.keys())
def test_hex_that_is_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^seed: must be 64 lower-case hex digits \(32 bytes\)$"):
        encoding.parse_hex(text, "seed", 32)


@pytest.mark.parametrize("value", [None, 0, True, 1.5, b"00" * 32, ["00" * 32], {}])
def test_hex_must_be_text(value: object) -> None:
    with pytest.raises(MalformedError):
        encoding.parse_hex(value, "seed", 32)


@given(st.binary(max_size=64))
def test_hex_round_trip(data: bytes) -> None:
    assert encoding.parse_hex(data.hex(), "x", len(data)) == data


@pytest.mark.parametrize("first", ["00", "0f", "80", "ff"])
def test_hex_keeps_leading_zeros_and_high_bytes(first: str) -> None:
    data = encoding.parse_hex(first + "01" * 31, "seed", 32)
    assert len(data) == 32
    assert data[0] == int(first, 16)
    assert encoding.parse_hex("1234567890" * 6 + "1234", "seed", 32).hex() == "1234567890" * 6 + "1234"


NOT_BASE64 = {
    "no padding": "QQ",
    "half the padding": "QQ=",
    "too much padding": "QQ===",
    "non-zero trailing bits": "QR==",
    "the same, one pad": "QUJ=",
    "a space": "QQ ==",
    "a newline": "QQ==\n",
    "a newline within": "QU\nFB",
    "junk that decoders drop": "Q!Q==",
    "the other alphabet": "-_8=",
    "padding in front": "=QQ=",
    "two pieces": "QQ==QQ==",
    "not ASCII": "QÖ==",
    "another script's digits": "٠٠٠٠",
}


@pytest.mark.parametrize("text", NOT_BASE64.values(), ids=NOT_BASE64.keys())
def test_base64_that_is_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^proof: must be base64$"):
        encoding.parse_b64(text, "proof")


@pytest.mark.parametrize("value", [None, 1, b"QQ==", ["QQ=="]])
def test_base64_must_be_text(value: object) -> None:
    with pytest.raises(MalformedError):
        encoding.parse_b64(value, "proof")


@pytest.mark.parametrize("size", [0, 31, 33])
def test_base64_of_another_size(size: int) -> None:
    with pytest.raises(MalformedError, match="must be base64 of 32 bytes"):
        encoding.parse_b64(encoding.to_b64(bytes(size)), "proof", 32)


@given(st.binary(max_size=64))
def test_base64_round_trip(data: bytes) -> None:
    assert encoding.parse_b64(encoding.to_b64(data), "x", len(data)) == data


@given(st.text(alphabet="QRab+/=\n -_", max_size=12))
def test_base64_that_parses_re_encodes_to_itself(text: str) -> None:
    try:
        data = encoding.parse_b64(text, "x")
    except MalformedError:
        return
    assert encoding.to_b64(data) == text


NOT_JSON = {
    "nothing": "",
    "blank": "  ",
    "bare word": "nope",
    "NaN": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "a fraction": "1.0",
    "a fraction within": '{"a":[1.5]}',
    "an exponent": "1e3",
    "an exponent, upper case": "1E3",
    "minus zero": "-0",
    "minus zero within": "[-0]",
    "a leading zero": "05",
    "a leading zero behind a minus": "-05",
    "a plus": "+5",
    "an underscore": "5_0",
    "hex": "0x10",
    "another script's digits": "٥",
    "beyond 2^53": str(2**53),
    "below -2^53": str(-(2**53)),
    "a million digits": "1" * 1_000_000,
    "a repeated member": '{"a":1,"a":1}',
    "a repeated member within": '[{"b":{"a":1,"a":2}}]',
    "a repeated member, one escaped": '{"a":1,"\\u0061":2}',
    "trailing garbage": "{} x",
    "two values": "{}{}",
    "a trailing comma": "[1,]",
    "a trailing comma in an object": '{"a":1,}',
    "single quotes": "{'a':1}",
    "a comment": "[1] // one",
    "a byte-order mark": "\ufeff{}",
    "a control character in text": '"\x01"',
    "a line end in text": '"a\nb"',
    "a tab in text": '"a\tb"',
    "a bad escape": '"\\x41"',
    "a short escape": '"\\u12"',
    "text without end": '"abc',
    "text ending in a backslash": '"abc\\',
    "half a surrogate pair": '"\\ud800"',
    "the other half": '"\\udc00"',
    "half a pair as a name": '{"\\ud800":1}',
    "half a pair in a list": '["a",["\\udfff"]]',
    "half a pair, raw": '"\ud800"',
    "no-break space": "\u00a0{}",
    "form feed": "\f{}",
    "33 lists deep": "[" * 33 + "]" * 33,
    "33 objects deep": '{"a":' * 33 + "1" + "}" * 33,
    "a million lists deep": "[" * 1_000_000,
}


@pytest.mark.parametrize("text", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        encoding.parse_json(text, "entry")


@pytest.mark.parametrize("data", [b"\xff", b'"\xc3"', b'"\xed\xa0\x80"', b'"\xc0\xaf"', b"\xef\xbb\xbf{}"])
def test_json_that_is_no_utf8(data: bytes) -> None:
    with pytest.raises(MalformedError):
        encoding.parse_json(data)


def test_json_that_is_accepted() -> None:
    text = ' {"a" : [0, -1, 9007199254740991, -9007199254740991],\n"\\u0062": '
    text += '"\\ud83d\\ude00", "c": [true, null]}\n'
    assert encoding.parse_json(text) == {"a": [0, -1, 2**53 - 1, 1 - 2**53], "b": "😀", "c": [True, None]}
    assert encoding.parse_json(text.encode()) == encoding.parse_json(text)
    assert encoding.parse_json("[" * 32 + "]" * 32)
    assert encoding.parse_json('{"brackets in text": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{{{{\\"[[[["}')


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 200_000, '{"' * 100_000, '"\\' * 200_000, "[" + '"",' * 100_000]
)
def test_json_is_refused_in_linear_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(MalformedError):
        encoding.parse_json(text)
    assert time.process_time() - start < 2


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_canonical_round_trip(value: Any) -> None:
    data = encoding.canonical(value)
    assert encoding.parse_canonical(data) == value
    assert encoding.canonical(encoding.parse_canonical(data)) == data
    # Spacing and escapes of ordinary JSON are free, and give the same value.
    assert encoding.parse_json(json.dumps(value, indent=1)) == value


@pytest.mark.parametrize(
    "data",
    [
        b' {"a":1}',
        b'{"a":1}\n',
        b'{"a": 1}',
        b'{"b":1,"a":1}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\\u00e9"}',
        b'"\\u001F"',
        # RFC 8785 sorts by UTF-16 units: U+1F600 (d83d …) comes before U+FB33.
        '{"\ufb33":1,"😀":1}'.encode(),
    ],
)
def test_not_canonical(data: bytes) -> None:
    with pytest.raises(MalformedError, match=r"canonical form|JSON"):
        encoding.parse_canonical(data, "entry")


def test_canonical_is_rfc_8785() -> None:
    # The member order of RFC 8785 §3.2.3.
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\u0080": 6, "\u00f6": 7}
    assert list(json.loads(encoding.canonical(value))) == [
        "\r",
        "1",
        "\u0080",
        "\u00f6",
        "\u20ac",
        "😀",
        "\ufb33",
    ]
    assert encoding.canonical({"b": [True, None, -1], "a": '\u000f\n"\\/é'}) == (
        '{"a":"\\u000f\\n\\"\\\\/é","b":[true,null,-1]}'.encode()
    )


ascii_text = st.text(st.characters(max_codepoint=0x7F), max_size=6)
any_numbers = st.integers() | st.integers(2**53 - 3, 2**53 + 3) | st.floats()
anything = st.recursive(
    st.none()
    | st.booleans()
    | any_numbers
    | ascii_text
    | st.text(max_size=3)
    | st.just("\ud800")
    | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(ascii_text | st.text(max_size=3) | st.integers(), inner, max_size=5)
    ),
    max_leaves=12,
)


def outcome(write: Callable[[Any], bytes], value: Any) -> bytes | type[Exception]:
    try:
        return write(value)
    except (rfc8785.CanonicalizationError, TypeError, ValueError, AttributeError) as error:
        return type(error)


@given(anything)
@example({"\x7f": "\x00\x1f\x7f\u0080", "": -0.0})
@example({"a": 2**53, "b": [True, 1]})
def test_the_quick_way_is_rfc_8785_too(value: Any) -> None:
    assert outcome(encoding.canonical, value) == outcome(rfc8785.dumps, value)


def test_members() -> None:
    assert encoding.members({"a": 1, "b": 2}, "x", ("a", "b")) == {"a": 1, "b": 2}
    with pytest.raises(MalformedError, match=r"^x\.c: unknown field$"):
        encoding.members({"a": 1, "b": 2, "c": 3}, "x", ("a", "b"))
    with pytest.raises(MalformedError, match=r"^c: unknown field$"):
        encoding.members({"c": 3}, "", ("a",))
    with pytest.raises(MalformedError, match=r"^x\.b: missing field$"):
        encoding.members({"a": 1}, "x", ("a", "b"))
    with pytest.raises(MalformedError, match=r"^a: missing field$"):
        encoding.members({}, "", ("a",))
    value: object
    for value in (None, [], "a", 1, True):
        with pytest.raises(MalformedError, match="must be an object"):
            encoding.members(value, "x", ())


@pytest.mark.parametrize("name", ["ab" * 32, "A" * 44, "🂡", "two words", ""])
def test_unknown_members_are_named_only_where_they_look_like_names(name: str) -> None:
    with pytest.raises(MalformedError) as caught:
        encoding.members({name: 1}, "x", ())
    assert str(caught.value) == "x.?: unknown field"


def test_integer() -> None:
    for value in (0, 5, 9):
        assert encoding.integer(value, "x", 0, 9) == value
    assert encoding.integer(2**53 - 1, "x") == 2**53 - 1
    for bad in (-1, 10, True, False, "1", 1.0, None, [1]):
        with pytest.raises(MalformedError, match="must be an integer from 0 to 9"):
            encoding.integer(bad, "x", 0, 9)


def test_other_types() -> None:
    assert encoding.boolean(True, "x") is True
    assert encoding.string("", "x") == ""
    assert encoding.listing([1, 2], "x", 2) == [1, 2]
    bad: object
    for bad in (0, 1, "true", None, []):
        with pytest.raises(MalformedError, match="must be true or false"):
            encoding.boolean(bad, "x")
    for bad in (0, None, [], b"a"):
        with pytest.raises(MalformedError, match="must be text"):
            encoding.string(bad, "x")
    for bad in ("ab", None, {}, (1,)):
        with pytest.raises(MalformedError, match="must be a list"):
            encoding.listing(bad, "x", 9)
    with pytest.raises(MalformedError, match="at most 2 items"):
        encoding.listing([1, 2, 3], "x", 2)
