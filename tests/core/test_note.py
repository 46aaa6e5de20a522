from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.encoding import to_b64
from fairdeal.errors import EvidenceError, FairdealError, MalformedError
from fairdeal.note import Note, Signer, Verifier, open_note, parse_note, sign
from tests.core import strategies as own

# Go's documented example of a signed note (golang.org/x/mod/sumdb/note).
GO_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
)
GO_NOTE = (
    f"{GO_TEXT}\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
# The example of c2sp.org/signed-note; its text has a blank line of its own.
C2SP_TEXT = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n"
C2SP_NOTE = (
    f"{C2SP_TEXT}\n— quasimodo.example/salvatore "
    "NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n"
)
# A further public note, whose key came with it.
FOO_PUBLIC = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOO_NOTE = (
    "This is an example message.\n\n— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)

ALICE, BOB = Signer("log.example/alice", bytes([1]) * 32), Signer("log.example/bob", bytes([2]) * 32)
TEXT = "one\n\ntwo\n"
NOTE = sign(TEXT, [ALICE])


def marshal(note: Note) -> str:
    lines = [f"— {s.name} {to_b64(s.key_id + s.signature)}\n" for s in note.signatures]
    return f"{note.text}\n{''.join(lines)}"


def code_of(note: str, *verifiers: Verifier) -> str:
    with pytest.raises(FairdealError) as caught:
        open_note(parse_note(note), verifiers)
    return caught.value.code


def test_the_example_of_go() -> None:
    signer, verifier = Signer.parse(GO_SECRET), Verifier.parse(GO_PUBLIC)
    assert signer.verifier == verifier
    assert (signer.private_text(), verifier.text()) == (GO_SECRET, GO_PUBLIC)
    assert verifier.key_id.hex() == "c74f20a3"
    assert sign(GO_TEXT, [signer]) == GO_NOTE
    assert open_note(parse_note(GO_NOTE), [verifier]) == (verifier,)


def test_the_example_of_c2sp() -> None:
    note = parse_note(C2SP_NOTE)
    assert note.text == C2SP_TEXT
    (line,) = note.signatures
    assert (line.name, line.key_id.hex(), len(line.signature)) == (
        "quasimodo.example/salvatore",
        "367ba04b",
        64,
    )
    assert marshal(note) == C2SP_NOTE
    assert code_of(C2SP_NOTE, ALICE.verifier) == "unsigned"


def test_another_public_example() -> None:
    verifier = Verifier.parse(FOO_PUBLIC)
    assert open_note(parse_note(FOO_NOTE), [verifier]) == (verifier,)
    assert code_of(FOO_NOTE.replace("message.", "message!"), verifier) == "bad-signature"


@given(
    st.lists(own.seeds, min_size=1, max_size=4, unique=True), st.text(st.characters(exclude_categories=["C"]))
)
def test_round_trips(seeds: list[bytes], text: str) -> None:
    signers = [Signer(f"log.example/{k}", seed) for k, seed in enumerate(seeds)]
    verifiers = [signer.verifier for signer in signers]
    for signer, verifier in zip(signers, verifiers, strict=True):
        assert Signer.parse(signer.private_text()) == signer
        assert Verifier.parse(verifier.text()) == verifier
    note = sign(f"{text}\n", signers)
    parsed = parse_note(note)
    assert (parsed.text, marshal(parsed)) == (f"{text}\n", note)
    assert open_note(parsed, verifiers) == tuple(verifiers)
    assert open_note(parsed, verifiers[:1]) == (verifiers[0],)


def test_unknown_lines_are_ignored_and_bad_known_ones_are_not() -> None:
    both = sign(TEXT, [ALICE, BOB])
    assert open_note(parse_note(both), [BOB.verifier]) == (BOB.verifier,)
    spoiled = NOTE[:-4] + ("A" if NOTE[-4] != "A" else "B") + NOTE[-3:]
    two = both.replace(NOTE.splitlines(keepends=True)[-1], spoiled.splitlines(keepends=True)[-1])
    assert code_of(two, ALICE.verifier, BOB.verifier) == "bad-signature"
    assert open_note(parse_note(two), [BOB.verifier]) == (BOB.verifier,)
    # One good line does not make up for a bad one of the same key.
    assert code_of(NOTE + spoiled.splitlines(keepends=True)[-1], ALICE.verifier) == "bad-signature"
    assert open_note(parse_note(NOTE + NOTE.splitlines(keepends=True)[-1]), [ALICE.verifier]) == (
        ALICE.verifier,
    )
    assert code_of(NOTE) == "unsigned"


def test_a_name_or_an_id_alone_makes_no_known_key() -> None:
    namesake = Signer(ALICE.name, BOB.seed).verifier
    assert code_of(NOTE, namesake) == "unsigned"
    line = NOTE.splitlines(keepends=True)[-1]
    assert code_of(f"{TEXT}\n{line.replace(ALICE.name, BOB.name)}", ALICE.verifier) == "unsigned"


def test_what_is_signed_is_the_text_with_its_last_line_end() -> None:
    line = NOTE.splitlines(keepends=True)[-1]
    for text in ("one\n\ntwo\n\n", "one\ntwo\n", "one\n\ntwo \n", "One\n\ntwo\n"):
        assert code_of(f"{text}\n{line}", ALICE.verifier) == "bad-signature"


LINE = NOTE.splitlines()[-1]
NAME, BLOB = ALICE.name, LINE.split(" ")[2]
NOT_NOTES = {
    "empty": "",
    "no signatures": TEXT,
    "no signatures, blank line": f"{TEXT}\n",
    "no blank line": f"one\n{LINE}\n",
    "no line end": f"{TEXT}\n{LINE}",
    "a second line end": f"{TEXT}\n{LINE}\n\n",
    "a carriage return": f"{TEXT}\n{LINE}\r\n",
    "a carriage return in the text": f"one\r\n\n{LINE}\n",
    "a tab": f"a\tb\n\n{LINE}\n",
    "a zero byte": f"a\0b\n\n{LINE}\n",
    "a hyphen for the dash": f"{TEXT}\n- {NAME} {BLOB}\n",
    "an en dash": f"{TEXT}\n– {NAME} {BLOB}\n",
    "no space": f"{TEXT}\n—{NAME} {BLOB}\n",
    "a no-break space": f"{TEXT}\n—\u00a0{NAME} {BLOB}\n",
    "two spaces": f"{TEXT}\n—  {NAME} {BLOB}\n",
    "two spaces later": f"{TEXT}\n— {NAME}  {BLOB}\n",
    "a trailing space": f"{TEXT}\n— {NAME} {BLOB} \n",
    "no name": f"{TEXT}\n— {BLOB}\n",
    "an empty name": f"{TEXT}\n—  {BLOB}\n",
    "a plus in the name": f"{TEXT}\n— a+b {BLOB}\n",
    "no base64": f"{TEXT}\n— {NAME} \n",
    "base64 without padding": f"{TEXT}\n— {NAME} {BLOB.rstrip('=')}\n",
    "base64 with trailing bits": f"{TEXT}\n— {NAME} QUJDREU9Rk==\n",
    "base64 of four bytes": f"{TEXT}\n— {NAME} QUJDRA==\n",
    "17 lines": f"{TEXT}\n" + f"{LINE}\n" * 17,
    "a line that is none": f"{TEXT}\n{LINE}\nhello\n",
}
SPACES = "\u0085\u00a0\u1680\u2000\u2007\u2009\u2028\u2029\u202f\u205f\u3000 \t\n\r\x1c"


@pytest.mark.parametrize("note", NOT_NOTES.values(), ids=NOT_NOTES.keys())
def test_notes_that_are_none(note: str) -> None:
    with pytest.raises(MalformedError, match=r"^checkpoint: "):
        parse_note(note, "checkpoint")


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_names_hold_no_space_of_any_script(space: str) -> None:
    name = f"a{space}b"
    with pytest.raises(MalformedError):
        parse_note(f"{TEXT}\n— {name} {BLOB}\n")
    with pytest.raises(MalformedError):
        Verifier.parse(Verifier(name, ALICE.verifier.public).text())


def test_names_may_be_of_any_script() -> None:
    for name in ("günlük.örnek/okey", "日志.example", "a\u200bb", "a\x7fb", "-", "—"):
        signer = Signer(name, bytes(32))
        assert Verifier.parse(signer.verifier.text()) == signer.verifier
        assert open_note(parse_note(sign(TEXT, [signer])), [signer.verifier])


def test_at_least_16_lines_are_accepted() -> None:
    signers = [Signer(f"w{k}", bytes([k]) * 32) for k in range(16)]
    assert len(open_note(parse_note(sign(TEXT, signers)), [s.verifier for s in signers])) == 16


def test_other_line_separators_split_nothing() -> None:
    text = "a\u2028b\u0085c\x7f\n"
    parsed = parse_note(sign(text, [ALICE]))
    assert parsed.text == text
    assert open_note(parsed, [ALICE.verifier])


@pytest.mark.parametrize("text", ["", "no line end", "a\r\n", "a\tb\n"])
def test_texts_that_are_not_signed(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^text: "):
        sign(text, [ALICE])


VKEY = ALICE.verifier.text()
ID = ALICE.verifier.key_id.hex()
KEY64 = VKEY.split("+", 2)[2]
NOT_KEYS = {
    "empty": "",
    "two parts": f"{NAME}+{ID}",
    "another id": f"{NAME}+00000000+{KEY64}",
    "another name": f"{NAME}x+{ID}+{KEY64}",
    "an empty name": f"+{ID}+{KEY64}",
    "an upper-case id": f"{NAME}+{ID.upper()}+{KEY64}" if ID.upper() != ID else f"{NAME}+ABCDEF00+{KEY64}",
    "a short id": f"{NAME}+{ID[:-1]}+{KEY64}",
    "a line end": f"{VKEY}\n",
    "a space in front": f" {VKEY}",
    "a short key": f"{NAME}+{ID}+{to_b64(bytes([1]) + bytes(31))}",
    "a long key": f"{NAME}+{ID}+{to_b64(bytes([1]) + bytes(33))}",
    "another type": f"{NAME}+{ID}+{to_b64(bytes([2]) + ALICE.verifier.public)}",
    "a cosigner's type": f"{NAME}+{ID}+{to_b64(bytes([4]) + ALICE.verifier.public)}",
    "no base64": f"{NAME}+{ID}+{KEY64[:-1]}!",
    "a private key": ALICE.private_text(),
    "half a character": f"\udc80{VKEY}",
}


@pytest.mark.parametrize("text", NOT_KEYS.values(), ids=NOT_KEYS.keys())
def test_verifier_keys_that_are_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^vkey: "):
        Verifier.parse(text)


PRIVATE = ALICE.private_text()
NOT_PRIVATE = {
    "empty": "",
    "a verifier key": VKEY,
    "no prefix": PRIVATE.removeprefix("PRIVATE+KEY+"),
    "two parts": "PRIVATE+KEY+" + NAME,
    "another id": PRIVATE.replace(ID, "00000000"),
    "another type": PRIVATE.replace("+AQ", "+Ag"),
    "a line end": f"{PRIVATE}\n",
    "a short key": PRIVATE[:-4],
    "a space in the name": PRIVATE.replace(NAME, "log example"),
    "half a character": PRIVATE.replace(NAME, "\udc80"),
}


@pytest.mark.parametrize("text", NOT_PRIVATE.values(), ids=NOT_PRIVATE.keys())
def test_private_keys_that_are_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^key: ") as caught:
        Signer.parse(text)
    assert to_b64(ALICE.seed)[:20] not in str(caught.value)


def test_a_private_key_is_not_in_the_repr() -> None:
    assert repr(ALICE) == "Signer(name='log.example/alice')"


def test_a_signature_of_another_length_does_not_verify() -> None:
    signature = parse_note(NOTE).signatures[0].signature
    for other in (signature[:-1], signature + b"\0", b"\0"):
        assert not ALICE.verifier.verifies(TEXT, other)
    assert ALICE.verifier.verifies(TEXT, signature)
    assert not Verifier("x", b"\xff" * 32).verifies(TEXT, signature)


@given(st.text(alphabet="a\n— +=QZ9 ", max_size=60))
def test_any_text_either_parses_or_is_malformed(text: str) -> None:
    for candidate in (text, f"a\n\n— n {text}\n", f"{text}\n\n{LINE}\n"):
        try:
            note = parse_note(candidate)
        except MalformedError:
            continue
        assert marshal(note) == candidate


def test_evidence_and_form_are_told_apart() -> None:
    with pytest.raises(EvidenceError):
        open_note(parse_note(NOTE), [BOB.verifier])
    with pytest.raises(MalformedError):
        parse_note(NOTE[:-1])
