"""The kernel's backends against hashlib, and against processors that lack what this one has."""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from fairdeal import entries
from fairdeal.audit.histories import columns
from fairdeal.audit.kernel import FEW_HANDS, Kernel, choose, compiled, instructions
from fairdeal.audit.kernel.compiled import Array
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.reference import HashlibKernel
from fairdeal.audit.kernel.sha import ShaKernel
from fairdeal.audit.kernel.tables import IV, K, draws, padded
from fairdeal.deal import make_deal
from fairdeal.seeds import Contribution, deal_key, transcript
from fairdeal.terms import DeckTerms, OkeyTerms

BACKENDS: list[Kernel] = [LaneKernel(), *([ShaKernel()] if instructions.supported() else [])]
REFERENCE = HashlibKernel()
SIZES = (1, 3, 4, 5, 63, 64, 65, 127, 130)


def rows(width: int, least: int = 1, most: int = 70) -> st.SearchStrategy[Array]:
    """Arrays of bytes whose rows include all zeros, all ones and repeats, as random bytes never would."""
    row = st.one_of(
        st.binary(min_size=width, max_size=width), st.sampled_from([bytes(width), b"\xff" * width])
    )
    return st.lists(row, min_size=least, max_size=most).map(
        lambda found: np.frombuffer(b"".join(found), np.uint8).reshape(-1, width)
    )


def random_rows(seed: int, hands: int, width: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, (hands, width), np.uint8)


@pytest.fixture(params=BACKENDS, ids=lambda kernel: str(kernel.name))
def kernel(request: pytest.FixtureRequest) -> Kernel:
    found: Kernel = request.param
    return found


def test_constants_are_those_of_the_standard() -> None:
    assert [f"{int(k):08x}" for k in (K[0], K[63])] == ["428a2f98", "c67178f2"]
    assert [f"{int(v):08x}" for v in (IV[0], IV[7])] == ["6a09e667", "5be0cd19"]


@pytest.mark.parametrize("hands", SIZES)
def test_every_number_of_hands_gives_what_hashlib_gives(kernel: Kernel, hands: int) -> None:
    seeds, texts = random_rows(hands, hands, 32), random_rows(hands + 1, hands, 96)
    keys = kernel.keys(seeds, texts)
    assert np.array_equal(keys, REFERENCE.keys(seeds, texts))
    assert np.array_equal(kernel.shuffle(keys, 106), REFERENCE.shuffle(keys, 106))


@given(seeds=rows(32), text=st.binary(min_size=96, max_size=96))
@settings(max_examples=25)
def test_deal_keys(seeds: Array, text: bytes) -> None:
    texts = np.frombuffer(text * len(seeds), np.uint8).reshape(-1, 96)
    for kernel in BACKENDS:
        assert np.array_equal(kernel.keys(seeds, texts), REFERENCE.keys(seeds, texts))


@given(keys=rows(32, most=9), size=st.integers(2, 256))
@settings(max_examples=40)
def test_shuffles_of_any_size(keys: Array, size: int) -> None:
    expected = REFERENCE.shuffle(keys, size)
    for kernel in BACKENDS:
        assert np.array_equal(kernel.shuffle(keys, size), expected)


@given(
    keys=rows(32),
    labels=st.lists(st.text("adeilrs:/0123456789", max_size=55), min_size=1, max_size=4),
    m=st.integers(1, 256),
)
@settings(max_examples=40)
def test_picks_and_macs(keys: Array, labels: list[str], m: int) -> None:
    names = tuple(label.encode() for label in labels)
    for kernel in BACKENDS:
        assert np.array_equal(kernel.picks(keys, names, m), REFERENCE.picks(keys, names, m))
        assert np.array_equal(kernel.macs(keys, names), REFERENCE.macs(keys, names))


@given(messages=rows(33, most=66), length=st.integers(0, 300))
@settings(max_examples=40)
def test_digests_of_any_length(messages: Array, length: int) -> None:
    texts = [(row.tobytes() * 10)[:length] for row in messages]
    blocks = np.frombuffer(b"".join(map(padded, texts)), np.uint8).reshape(len(texts), -1)
    expected = [hashlib.sha256(text).digest() for text in texts]
    for kernel in (REFERENCE, *BACKENDS):
        assert [row.tobytes() for row in kernel.digest(blocks)] == expected


@pytest.mark.parametrize("m", [2, 3, 6, 7, 64, 105, 106, 255, 256, 1023])
def test_the_reciprocal_divides_exactly_at_every_edge(m: int) -> None:
    draw = draws((b"x",), (m,))
    multiplier, shift = int(draw.reciprocals[0]), int(draw.shifts[0])
    edges = [k * m + d for k in (0, 1, 2, 2**31 // m - 1) for d in (0, 1, m - 1)]
    assert [x * multiplier >> shift for x in edges] == [x // m for x in edges]
    assert 16 * 0xFFFF * (m - 1) < 2**31


def test_whole_hands_are_the_cores(kernel: Kernel) -> None:
    hand, seed = bytes(range(16)), bytes(range(32, 64))
    opened = [
        (),
        (Contribution(0, bytes(32)),),
        (Contribution(1, b"\x01" * 32), Contribution(3, b"\xfe" * 32)),
    ]
    for terms in (
        OkeyTerms("okey", "wall", 4, "throw", 2, True),
        DeckTerms(52, 3, False),
        DeckTerms(2, 1, False),
    ):
        for contributions in opened:
            text = np.frombuffer(transcript(hand, terms, contributions), np.uint8).reshape(1, 96)
            keys = kernel.keys(np.frombuffer(seed, np.uint8).reshape(1, 32), text)
            key = deal_key(seed, hand, terms, contributions)
            assert keys.tobytes() == key
            assert tuple(kernel.shuffle(keys, terms.size)[0]) == make_deal(key, terms).order


def test_one_wrong_bit_anywhere_changes_the_answer(kernel: Kernel) -> None:
    seeds, texts = random_rows(1, 64, 32), random_rows(2, 64, 96)
    truth = kernel.shuffle(kernel.keys(seeds, texts), 106)
    for lane in (0, 1, 63):
        for column in (0, 31):
            other = seeds.copy()
            other[lane, column] ^= 0x80
            found = kernel.shuffle(kernel.keys(other, texts), 106)
            assert [k for k in range(64) if not np.array_equal(found[k], truth[k])] == [lane]


def test_few_hands_go_to_hashlib_and_many_to_the_best_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(FEW_HANDS - 1).name == "hashlib"
    monkeypatch.setattr(instructions, "supported", lambda: True)
    assert choose(FEW_HANDS).name == "SHA instructions"
    monkeypatch.setattr(instructions, "supported", lambda: False)
    assert choose(FEW_HANDS).name == "numba lanes"


def test_without_numba_hashlib_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("fairdeal.audit.kernel.instructions")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("fairdeal.audit.kernel.instructions")
    monkeypatch.setitem(sys.modules, "numba", None)
    assert choose(10**6).name == "hashlib"


OTHER_PROCESSOR = """
import numpy as np
from fairdeal.audit.kernel import choose
from fairdeal.audit.kernel.reference import HashlibKernel
kernel = choose(10**6)
seeds = np.random.default_rng(5).integers(0, 256, (70, 32), np.uint8)
assert np.array_equal(kernel.shuffle(seeds, 106), HashlibKernel().shuffle(seeds, 106))
print(kernel.name)
"""


@pytest.mark.parametrize(
    "target",
    [
        {"NUMBA_CPU_NAME": "x86-64"},
        {"NUMBA_CPU_NAME": "generic"},
        {"NUMBA_CPU_FEATURES": "-sha,-avx512f,-avx2"},
    ],
    ids=lambda target: "-".join(target.values()),
)
def test_a_processor_that_lacks_instructions_gets_the_lanes(target: dict[str, str], tmp_path: Path) -> None:
    environment = os.environ | target | {"NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESSOR], env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, "numba lanes"), run.stderr


def test_another_architecture_has_no_such_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llvmlite.binding.get_process_triple", lambda: "aarch64-unknown-linux-gnu")
    assert not instructions.supported()
    monkeypatch.undo()
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", dict)
    instructions.host_has.cache_clear()
    try:
        assert not instructions.supported()
    finally:
        instructions.host_has.cache_clear()


def test_compiled_code_is_kept_on_disk_until_a_source_changes() -> None:
    kernel = importlib.import_module("fairdeal.audit.kernel")
    modules = [
        importlib.import_module(f"{kernel.__name__}.{m.name}") for m in pkgutil.iter_modules(kernel.__path__)
    ]
    found = {f for m in modules for f in vars(m).values() if isinstance(f, Dispatcher)}
    kept = {f.py_func.__qualname__ for f in found if type(vars(f)["_cache"]).__name__ != "NullCache"}
    inlined = {f.py_func.__qualname__ for f in found if f.targetoptions.get("forceinline")}
    assert kept | inlined == {f.py_func.__qualname__ for f in found}
    assert len(kept) > 15
    # What compiled code takes constants from counts as its sources.
    here = Path(kernel.__path__[0])
    files = {Path(str(module.__file__)) for module in (columns, entries)}
    assert {(here / name).resolve() for name in compiled.CONSTANTS} == files


THREADS = """
import sys, threading
import numpy as np
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.reference import HashlibKernel
from fairdeal.audit.kernel.sha import ShaKernel
random = np.random.default_rng(7)
blocks = random.integers(0, 256, (600, 64), np.uint8)
seeds, texts = (random.integers(0, 256, (60, width), np.uint8) for width in (32, 96))
labels = (b"a", b"b", b"c")
kernel, plain = (LaneKernel if sys.argv[1] == "LaneKernel" else ShaKernel)(), HashlibKernel()
texts[:, 88:] = np.frombuffer(bytes(8), np.uint8)
calls = {
    "digest": lambda k: k.digest(blocks),
    "keys": lambda k: k.keys(seeds, texts),
    "shuffle": lambda k: k.shuffle(seeds, 106),
    "picks": lambda k: k.picks(seeds, labels, 15),
}
wanted = {name: call(kernel) for name, call in calls.items()}
for name in ("shuffle", "picks"):
    assert (wanted[name] == calls[name](plain)).all(), name
wrong = []
def work():
    for _ in range(400):
        for name, call in calls.items():
            # Python's own objects of all sizes come and go between.
            junk = [np.empty(size, np.uint8) for size in (96, 128, 192, 384, 512)]
            if not (call(kernel) == wanted[name]).all():
                wrong.append(name)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(f"wrong: {sorted(set(wrong))}" if wrong else 0)
"""


@pytest.mark.parametrize("kernel", BACKENDS, ids=lambda kernel: kernel.name)
def test_threads_never_write_to_memory_that_was_given_back(kernel: Kernel) -> None:
    # One arena and no cache of a thread's own: what one thread gives back, the next one has at once.
    memory = {"MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    command = [sys.executable, "-X", "faulthandler", "-c", THREADS, type(kernel).__name__]
    run = subprocess.run(command, env=os.environ | memory, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
