# SPDX-License-Identifier: GPL-2.0-only
"""Every tunable is restored whenever a run ends, except those that somebody else has set."""

import json
import os
import random
import tempfile
import unittest
from pathlib import Path
from typing import IO
from unittest import mock

from iostune_lib import journal
from iostune_lib import tunables as t
from iostune_lib.errors import IostuneError
from iostune_lib.journal import Journal
from iostune_lib.settings import Settings, previous_values, recommended, target_state
from iostune_lib.tunables import Tunables

# How many damaged journals; FUZZ=10000 for more.
DAMAGED = int(os.environ.get("FUZZ", "200"))
IDENTITY = {"diskseq": "7", "serial": "x"}
ASYNC_DEPTH = "queue/iosched/async_depth"


class FakeDisk(Tunables):
    """Files, with the kernel's side effects when one is written."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory / "disk")
        (self.disk / "queue/iosched").mkdir(parents=True)
        for name, value in IDENTITY.items():
            (self.disk / name).write_text(value)
        self.write(t.MAX_SECTORS, "1280")
        self.write(t.READAHEAD, "64")
        self.write(t.SCHEDULER, "none [mq-deadline] bfq")
        self.switch("mq-deadline")
        # Set by an administrator.
        self.write("queue/iosched/fifo_batch", "32")
        self.write(t.NR_REQUESTS, "512")
        self.puts: list[tuple[str, str]] = []
        self.dies_at = -1

    def write(self, name: str, value: str) -> None:
        (self.disk / name).write_text(value)

    def switch(self, scheduler: str) -> None:
        for path in (self.disk / "queue/iosched").iterdir():
            path.unlink()
        if scheduler == "bfq":
            self.write(t.SLICE_IDLE, "8")
            self.write(t.SLICE_IDLE_US, "8000")
        if scheduler == "mq-deadline":
            self.write("queue/iosched/fifo_batch", "16")
            self.write(ASYNC_DEPTH, "192")
        self.write(t.NR_REQUESTS, "1023" if scheduler == "none" else "256")
        self.write(t.SCHEDULER, " ".join(f"[{s}]" if s == scheduler else s for s in ("none", "mq-deadline", "bfq")))

    def put(self, name: str, value: str) -> None:
        if len(self.puts) == self.dies_at:
            raise KeyboardInterrupt
        self.puts.append((name, value))
        if name == t.SCHEDULER:
            if value == "kyber":
                raise OSError(22, "Invalid argument")
            if value != self.get(t.SCHEDULER):
                self.switch(value)
            return
        if name == t.NR_REQUESTS:
            if not value.isdecimal():
                raise OSError(22, "Invalid argument")
            value = str(max(int(value), 4))
            if (self.disk / ASYNC_DEPTH).exists():
                self.write(ASYNC_DEPTH, value)
        super().put(name, value)
        if name == t.SLICE_IDLE:
            self.write(t.SLICE_IDLE_US, str(int(value) * 1000))
        if name == t.SLICE_IDLE_US:
            self.write(t.SLICE_IDLE, str(int(value) // 1000))
        if name == t.MAX_SECTORS:
            # Since 6.10 the kernel may raise the readahead.
            self.write(t.READAHEAD, "128")


class FullDisk:
    """os.write() on a disk with space for so many lines, and perhaps half a line more."""

    def __init__(self, lines: int, half: bool) -> None:
        self.lines = lines
        self.half = half
        self.real = os.write

    def write(self, file: int, line: bytes) -> int:
        self.lines -= 1
        if self.lines >= 0:
            return self.real(file, line)
        if self.half:
            return self.real(file, line[: len(line) // 2])
        raise OSError(28, "No space left on device")


class Base(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = Path(folder.name)
        self.disk = FakeDisk(self.directory)
        self.before = self.disk.snapshot()

    def open(self) -> Journal:
        return Journal(self.directory, self.disk, {"disk": str(self.disk.disk), **IDENTITY})

    def records(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.directory / "journal").read_text().splitlines()]

    def recover(self) -> list[str]:
        # The fake disk with the kernel's side effects.
        with mock.patch.object(journal, "Tunables", lambda disk: self.disk):
            return journal.recover(self.directory)


class Restored(Base):
    def test_tunables_that_the_kernel_changed_too(self) -> None:
        opened = self.open()
        for name, value in ((t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "0"), (t.READAHEAD, "4096"), (t.MAX_SECTORS, "64")):
            opened.put(name, value)
        self.assertEqual(opened.restore(), [])
        self.assertEqual(self.disk.snapshot(), self.before)
        self.assertFalse((self.directory / "journal").exists())

    def test_the_journal_is_written_before_every_change(self) -> None:
        opened = self.open()
        self.assertEqual(self.records()[0]["original"], self.before)
        self.disk.dies_at = 0
        with self.assertRaises(KeyboardInterrupt):
            opened.put(t.READAHEAD, "512")
        self.assertEqual(self.records()[1], {"set": t.READAHEAD, "value": "512"})
        self.assertEqual(self.disk.snapshot(), self.before)

    def test_a_value_that_the_kernel_refuses(self) -> None:
        opened = self.open()
        with self.assertRaises(OSError):
            opened.put(t.SCHEDULER, "kyber")
        opened.restore()
        self.assertEqual(self.disk.snapshot(), self.before)

    def test_no_space_for_the_journal(self) -> None:
        # The "set" or the "got" line fails, completely or after half of it.
        for is_set_written, value in ((False, "64"), (True, "4096")):
            for half in (False, True):
                with self.subTest(is_set_written=is_set_written, half=half):
                    self.setUp()
                    opened = self.open()
                    space = FullDisk(lines=int(is_set_written), half=half)
                    with (
                        mock.patch("os.write", space.write),
                        self.assertRaisesRegex(IostuneError, "cannot write .*: No space"),
                    ):
                        opened.put(t.READAHEAD, "4096")
                    self.assertEqual(self.disk.get(t.READAHEAD), value)
                    self.assertEqual(opened.restore(), [])
                    self.assertEqual(self.disk.snapshot(), self.before)


class Refused(Base):
    def test_the_kernel_is_busy_for_a_moment(self) -> None:
        busy = [OSError(16, "Device or resource busy")] * 2
        real = Path.open

        def once(path: Path, mode: str = "r") -> IO[str]:
            if busy and mode == "w":
                raise busy.pop()
            return real(path, mode)

        with mock.patch.object(Path, "open", once), mock.patch.object(t, "BUSY_STEP_S", 0.0):
            Tunables(self.disk.disk).put(t.READAHEAD, "256")
        self.assertEqual((busy, self.disk.get(t.READAHEAD)), ([], "256"))

    def test_the_journal_stays_until_the_tunable_is_restored(self) -> None:
        opened = self.open()
        opened.put(t.READAHEAD, "4096")
        with mock.patch.object(FakeDisk, "put", side_effect=OSError(16, "Device or resource busy")):
            said = opened.restore()
            self.assertIn("cannot restore queue/read_ahead_kb to 64: Device", said[0])
            self.assertIn("iostune --restore", said[-1])
            with self.assertRaisesRegex(IostuneError, "disk: cannot restore queue/read_ahead_kb to 64: .* --restore"):
                self.recover()
        self.assertEqual(len(self.recover()), 1)
        self.assertEqual(self.disk.snapshot(), self.before)
        self.assertFalse((self.directory / "journal").exists())

    def test_an_nr_requests_below_4_is_not_touched(self) -> None:
        """The kernel chooses 2 for a disk that takes one request at a time, but raises a written 2 to 4."""
        self.disk.write(t.NR_REQUESTS, "2")
        opened = self.open()
        self.assertNotIn(t.NR_REQUESTS, opened.original)
        opened.put(t.READAHEAD, "4096")
        self.assertEqual(opened.restore(), [])
        self.assertEqual(self.disk.get(t.NR_REQUESTS), "2")

    def test_a_value_that_the_kernel_rounds(self) -> None:
        opened = self.open()
        opened.original[t.NR_REQUESTS] = "3"
        said = opened.restore()
        self.assertEqual(said, ["queue/nr_requests is 4 now: the kernel rounds 3, the value that it had"])
        self.assertFalse((self.directory / "journal").exists())


class Others(Base):
    def test_a_change_by_somebody_else_ends_the_run_and_stays(self) -> None:
        opened = self.open()
        opened.put(t.READAHEAD, "4096")
        opened.put(t.MAX_SECTORS, "64")
        self.disk.write(t.READAHEAD, "1000")
        with self.assertRaisesRegex(IostuneError, "read_ahead_kb is 1000"):
            opened.put(t.READAHEAD, "512")
        said = opened.restore()
        self.assertEqual(len(said), 1)
        self.assertIn("read_ahead_kb keeps 1000", said[0])
        # Although restoring max_sectors_kb makes the kernel raise it again.
        self.assertEqual(self.disk.snapshot(), {**self.before, t.READAHEAD: "1000"})

    def test_another_scheduler_stays_with_its_tunables(self) -> None:
        opened = self.open()
        opened.put(t.SCHEDULER, "bfq")
        self.disk.switch("none")
        said = opened.restore()
        self.assertEqual(len(said), 1)
        self.assertIn("scheduler keeps none", said[0])
        self.assertEqual(self.disk.get(t.NR_REQUESTS), "1023")


class Killed(Base):
    STEPS = (
        (t.NR_REQUESTS, "128"),
        (t.SCHEDULER, "bfq"),
        (t.SLICE_IDLE, "0"),
        (t.MAX_SECTORS, "64"),
        (t.SCHEDULER, "none"),
        (t.READAHEAD, "8"),
    )

    def cut(self, steps: tuple[tuple[str, str], ...], lines: int, last_is_made: bool) -> None:
        opened = self.open()
        for name, value in steps[: (lines - 1) // 2]:
            opened.put(name, value)
        if lines % 2 == 0:
            name, value = steps[lines // 2 - 1]
            opened.write({"set": name, "value": value})
            if last_is_made:
                self.disk.put(name, value)
        self.assertEqual(len(self.records()), lines)
        said = self.recover()
        self.assertEqual(self.disk.snapshot(), self.before)
        self.assertEqual(len(said), 1, said)
        self.assertEqual(self.recover(), [])

    def test_at_any_moment(self) -> None:
        """Cut the journal after each of its lines, with and without the change of a last "set" line."""
        for last_is_made in (False, True):
            for lines in range(1, 2 + 2 * len(self.STEPS)):
                with self.subTest(lines=lines, last_is_made=last_is_made):
                    self.setUp()
                    self.cut(self.STEPS, lines, last_is_made)

    def test_a_tunable_with_two_names(self) -> None:
        self.disk.switch("bfq")
        self.before = self.disk.snapshot()
        self.cut(((t.SLICE_IDLE, "0"),), 2, True)

    def test_within_a_line(self) -> None:
        opened = self.open()
        opened.put(t.READAHEAD, "4096")
        with (self.directory / "journal").open("a") as file:
            file.write('{"set": "queue/sched')
        self.recover()
        self.assertEqual(self.disk.snapshot(), self.before)

    def test_within_the_first_line(self) -> None:
        (self.directory / "journal").write_text('{"disk"')
        self.assertEqual(self.recover(), [])
        self.assertFalse((self.directory / "journal").exists())

    def test_damaged(self) -> None:
        """A damaged journal is refused with its name, or what can be read of it is restored."""
        opened = self.open()
        opened.put(t.READAHEAD, "4096")
        opened.put(t.SCHEDULER, "bfq")
        path = self.directory / "journal"
        whole, source = path.read_bytes(), random.Random(3)
        lines = whole.splitlines(keepends=True)
        refused = 0
        for number in range(DAMAGED):
            kind = number % 4
            data = bytearray(whole)
            if kind == 0:
                for _ in range(source.randrange(1, 4)):
                    data[source.randrange(len(data))] = source.randrange(256)
            elif kind == 1:
                data = bytearray(b"".join(source.choices(lines, k=source.randrange(6))))
            elif kind == 2:
                data = data[source.randrange(len(data)) :] + data[: source.randrange(len(data))]
            else:
                junk = (b"[]", b"null", b"{}", b'{"got": 1}', b'{"set": "x/../y"}', b"[" * 9999, b"\xff", b"1e999")
                data = bytearray(b"\n".join(source.choices([*junk, lines[0]], k=3)))
            path.write_bytes(data)
            with self.subTest(data=bytes(data)):
                try:
                    self.recover()
                    self.assertFalse(path.exists())
                except IostuneError as error:
                    refused += 1
                    self.assertRegex(str(error), r"is damaged: .* and remove it|cannot restore .* --restore")
        self.assertGreater(refused, 0)

    def test_another_disk_has_that_name_now(self) -> None:
        self.open().put(t.READAHEAD, "4096")
        self.disk.write("diskseq", "8")
        said = self.recover()
        self.assertIn("gone", said[0])
        self.assertEqual(self.disk.get(t.READAHEAD), "4096")


class Lock(Base):
    def test_a_second_iostune_fails(self) -> None:
        journal.acquire_lock(self.directory)
        with self.assertRaisesRegex(IostuneError, "another iostune"):
            journal.acquire_lock(self.directory)


class Arms(Base):
    def test_tunables_are_in_the_order_of_setting(self) -> None:
        state = target_state(self.before, {}, {t.READAHEAD: "512", t.SCHEDULER: "bfq", t.SLICE_IDLE: "0"})
        self.assertEqual(list(state), [t.SCHEDULER, t.SLICE_IDLE, t.MAX_SECTORS, t.READAHEAD])

    def test_the_original_scheduler_gets_its_tunables_again(self) -> None:
        settings = Settings(self.disk, self.open())
        settings.apply(((t.SCHEDULER, "bfq"),))
        self.assertEqual(self.disk.get(t.NR_REQUESTS), "256")
        settings.apply(())
        self.assertEqual(self.disk.snapshot(), self.before)

    def test_tunables_that_change_with_a_recommended_one_are_set_too(self) -> None:
        """recommended() leads to the measured state, and previous_values() back to the original one."""
        for accepted, changed in (
            ({t.MAX_SECTORS: "64"}, {t.MAX_SECTORS: "64", t.READAHEAD: "64"}),
            ({t.NR_REQUESTS: "128"}, {t.NR_REQUESTS: "128", ASYNC_DEPTH: "192"}),
            ({t.SCHEDULER: "none"}, {t.SCHEDULER: "none"}),
            # The original 512 was that of the other scheduler.
            ({t.SCHEDULER: "none", t.NR_REQUESTS: "512"}, {t.SCHEDULER: "none", t.NR_REQUESTS: "512"}),
            ({ASYNC_DEPTH: "9"}, {t.SCHEDULER: "mq-deadline", ASYNC_DEPTH: "9"}),
            ({t.READAHEAD: "64"}, {}),
        ):
            with self.subTest(accepted=accepted):
                self.setUp()
                self.disk.puts.clear()
                found = recommended(self.before, accepted)
                self.assertEqual(found, changed)
                for name, value in found.items():
                    self.disk.put(name, value)
                measured = target_state(self.before, accepted, {})
                self.assertEqual({**self.disk.snapshot(), **measured}, self.disk.snapshot())
                back = previous_values(self.before, accepted)
                self.assertLessEqual(set(found), set(back))
                for name, value in back.items():
                    self.disk.put(name, value)
                self.assertEqual(self.disk.snapshot(), self.before)

    def test_only_one_of_two_names_of_a_tunable_is_set(self) -> None:
        found = {t.SCHEDULER: "bfq", t.SLICE_IDLE: "8", t.SLICE_IDLE_US: "8000"}
        self.assertEqual(target_state(found, {}, {t.SLICE_IDLE: "0"}), {t.SCHEDULER: "bfq", t.SLICE_IDLE: "0"})
        self.assertEqual(target_state(found, {}, {}), found)

    def test_a_decided_value_stays_for_the_next_stages(self) -> None:
        settings = Settings(self.disk, self.open())
        settings.accept(((t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "0")))
        settings.apply(((t.MAX_SECTORS, "64"),))
        found = {**self.before, t.SCHEDULER: "bfq", t.SLICE_IDLE: "0", t.MAX_SECTORS: "64", t.NR_REQUESTS: "256"}
        del found["queue/iosched/fifo_batch"], found[ASYNC_DEPTH]
        found[t.SLICE_IDLE_US] = "0"
        # The readahead has its original value, although max_sectors_kb had raised it.
        self.assertEqual(self.disk.snapshot(), found)

    def test_bfq_is_recreated_if_its_own_tunables_change(self) -> None:
        settings = Settings(self.disk, self.open())
        settings.apply(((t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "8")))
        self.disk.puts.clear()
        settings.apply(((t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "0")))
        self.assertEqual(self.disk.puts, [(t.SCHEDULER, "none"), (t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "0")])
        self.disk.puts.clear()
        settings.apply(((t.SCHEDULER, "bfq"), (t.SLICE_IDLE, "0"), (t.READAHEAD, "512")))
        self.assertEqual(self.disk.puts, [(t.READAHEAD, "512")])

    def test_a_present_value_is_not_written(self) -> None:
        settings = Settings(self.disk, self.open())
        settings.apply(())
        self.assertEqual(self.disk.puts, [])


if __name__ == "__main__":
    unittest.main()
