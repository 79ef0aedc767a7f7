# SPDX-License-Identifier: GPL-2.0-only
"""Does modules/raid5-deadline/btf_offsets.py find what there is, and say in a sentence what there is not?

tests/btf holds what bpftool prints of raid456 of three kernels, cut down to the types that matter.
"""

import copy
import gzip
import itertools
import json
import lzma
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import btf_offsets
from btf_offsets import Refusal, Types, Wanted

TOP = Path(__file__).resolve().parents[1]
KERNELS = ("6.1", "6.12", "7.3")
LIST = TOP / "modules/raid5-deadline/raid456.list"
RELEASE = "6.1.0-1-test"


def dumped(kernel: str) -> btf_offsets.Json:
    found: btf_offsets.Json = json.loads((TOP / f"tests/btf/{kernel}.json").read_text())
    return found


def with_md_built_in(kernel: str) -> tuple[btf_offsets.Json, btf_offsets.Json]:
    """The types as if md were built into that kernel: raid456's own, and vmlinux's."""
    types = dumped(kernel)["types"]
    md = [entry for entry in types if entry["name"] in ("mddev", "md_sysfs_entry") or is_md_flags(entry)]
    return {"types": [entry for entry in types if entry not in md]}, {"types": md}


def is_md_flags(entry: btf_offsets.Json) -> bool:
    return any(value["name"] == "MD_HAS_JOURNAL" for value in entry.get("values", []))


def elf(sections: dict[str, bytes]) -> bytes:
    """The smallest ELF file with these sections."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in [*sections, ".shstrtab"])
    body, headers = b"", [b"\0" * 64]
    for name, data in [*sections.items(), (".shstrtab", names)]:
        where = names.index(b"\0" + name.encode() + b"\0") + 1
        headers.append(struct.pack("<IIQQQQIIQQ", where, 1, 0, 0, 64 + len(body), len(data), 0, 0, 1, 0))
        body += data
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(headers), len(headers) - 1
    )
    return head + body + b"".join(headers)


def note(identity: bytes) -> bytes:
    return struct.pack("<III", 4, len(identity), 3) + b"GNU\0" + identity


class Layouts(unittest.TestCase):
    def header(self, kernel: str) -> dict[str, str]:
        wanted = btf_offsets.read_list(LIST.read_text(), LIST.name)
        text = btf_offsets.header(wanted, Types(dumped(kernel), kernel), "id")
        return dict(line.split()[1:3] for line in text.splitlines() if line.startswith("#define"))

    def test_known_offsets(self) -> None:
        # As pahole prints them.
        for kernel, lock, ready, stride in (("6.1", 796, 20, 368), ("6.12", 744, 19, 368), ("7.3", 760, 19, 384)):
            with self.subTest(kernel=kernel):
                found = self.header(kernel)
                self.assertEqual(found["RAID456_r5conf__device_lock"], str(lock))
                self.assertEqual(found["RAID456_STRIPE_BATCH_READY"], str(ready))
                self.assertEqual(found["RAID456_r5dev__SIZE"], str(stride))
                self.assertEqual(found["RAID456_stripe_head__lru"], "16")
                self.assertEqual(found["RAID456_BUILD_ID"], '"id"')

    def test_members_of_nameless_unions(self) -> None:
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                types = Types(dumped(kernel), kernel)
                self.assertEqual(types.offset("stripe_head", "log_io"), types.offset("stripe_head", "ppl_io"))

    def test_md_built_in(self) -> None:
        wanted = btf_offsets.read_list(LIST.read_text(), LIST.name)
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                own, base = with_md_built_in(kernel)
                types = Types(own, kernel)
                self.assertFalse(types.have(wanted))
                with self.assertRaisesRegex(Refusal, "no struct mddev"):
                    btf_offsets.header(wanted, types, "id")
                # Not the kernel's structure of the same name.
                base["types"].append({"id": 1, "kind": "STRUCT", "name": "r5dev", "size": 8, "members": []})
                types.add(base)
                self.assertTrue(types.have(wanted))
                text = btf_offsets.header(wanted, types, "id")
                self.assertEqual(text, btf_offsets.header(wanted, Types(dumped(kernel), kernel), "id"))

    def test_nameless_member_of_the_other_part(self) -> None:
        inner = {"id": 7, "kind": "UNION", "name": "(anon)", "size": 8, "members": []}
        inner["members"] = [{"name": "b", "type_id": 1, "bits_offset": 0}]
        member = {"name": "(anon)", "type_id": 7, "bits_offset": 64}
        types = Types({"types": [{"id": 9, "kind": "STRUCT", "name": "s", "size": 16, "members": [member]}]}, "m")
        with self.assertRaisesRegex(Refusal, "struct s has no member b"):
            types.offset("s", "b")
        types.add({"types": [inner]})
        self.assertEqual(types.offset("s", "b"), 8)

    def test_room(self) -> None:
        wanted = btf_offsets.read_list(LIST.read_text(), LIST.name)
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                self.assertEqual(Types(dumped(kernel), kernel).room("mddev", "active_io"), 16)
        # As an atomic_t with an int behind it.
        types = dumped("6.1")
        for entry in types["types"]:
            members = entry.get("members", []) if entry["name"] == "mddev" else []
            for member, following in itertools.pairwise(members):
                if member["name"] == "active_io":
                    following["bits_offset"] = member["bits_offset"] + 32
        sentence = "raid456.ko: mddev.active_io has 4 bytes, not 16, as before .*: install a newer kernel"
        with self.assertRaisesRegex(Refusal, sentence):
            btf_offsets.header(wanted, Types(types, "raid456.ko"), "id")
        # The last member, and one of a union.
        last = [{"name": "a", "type_id": 1, "bits_offset": 0}, {"name": "b", "type_id": 1, "bits_offset": 0}]
        types = {"types": [{"id": 9, "kind": "STRUCT", "name": "s", "size": 8, "members": last}]}
        self.assertEqual(Types(types, "m").room("s", "a"), 8)

    def refused(self, sentence: str, types: btf_offsets.Json, **wanted: list[str]) -> None:
        with self.assertRaisesRegex(Refusal, sentence):
            btf_offsets.header(Wanted(module="raid456", **wanted), Types(types, "raid456.ko"), "id")  # type: ignore[arg-type]

    def test_what_is_missing(self) -> None:
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                types = dumped(kernel)
                self.refused("no struct r5konf", types, sizes=["r5konf"])
                self.refused("no enumerator STRIPE_NONE", types, values=["STRIPE_NONE"])
                with self.assertRaisesRegex(Refusal, "struct r5conf has no member lock"):
                    Types(types, "raid456.ko").offset("r5conf", "lock")

    def test_wrong_base(self) -> None:
        # bpftool succeeds with another kernel's vmlinux, and prints names of something else, or nothing.
        types = dumped("6.12")
        garbled = copy.deepcopy(types)
        for entry in garbled["types"]:
            entry["name"] = entry["name"][3:] + "xyz"
        self.refused("another kernel's vmlinux", garbled, sizes=["stripe_head"])
        self.refused("without BTF, or for another vmlinux", {"types": []}, sizes=["stripe_head"])
        self.refused("no types in it", {}, sizes=["stripe_head"])

    def test_bpftool_of_ubuntu(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, status in (("bin", 2), ("tools/6.8.0-60", 2), ("tools/6.8.0-61", 0)):
                (root / name).mkdir(parents=True)
                (root / name / "bpftool").write_text(f"#!/bin/sh\nexit {status}\n")
                (root / name / "bpftool").chmod(0o755)
            path = f"{root}/bin:{os.environ['PATH']}"
            with mock.patch.dict(os.environ, PATH=path), mock.patch.object(btf_offsets, "LINUX_TOOLS", root / "tools"):
                self.assertEqual(btf_offsets.bpftool(), f"{root}/tools/6.8.0-61/bpftool")
                # An error message then names it.
                (root / "tools/6.8.0-61/bpftool").unlink()
                self.assertEqual(btf_offsets.bpftool(), "bpftool")

    def test_bit_field(self) -> None:
        types = dumped("6.12")
        for entry in types["types"]:
            for member in entry.get("members", []):
                if member["name"] == "level":
                    member["bits_offset"] += 3
        with self.assertRaisesRegex(Refusal, "r5conf.level is a bit field"):
            Types(types, "raid456.ko").offset("r5conf", "level")

    def test_lists(self) -> None:
        text = "# all\nmodule m\nstruct s a b # two\nsize s\nvalue V W\nroom s a 4 as it was: do so\n"
        wanted = btf_offsets.read_list(text, "l")
        rooms = [("s", "a", 4, "as it was: do so")]
        self.assertEqual(wanted, Wanted("m", [("s", "a"), ("s", "b")], ["s"], ["V", "W"], rooms))
        for line in ("struct s", "size", "value", "union u", "room s a four why", "room s a 4"):
            with (
                self.subTest(line=line),
                self.assertRaisesRegex(Refusal, "neither module, struct, size, room nor value"),
            ):
                btf_offsets.read_list(f"module m\n{line}\n", "l")
        with self.assertRaisesRegex(Refusal, "no line 'module'"):
            btf_offsets.read_list("size s\n", "l")


class Files(unittest.TestCase):
    name = Path("raid456.ko")

    def test_packed(self) -> None:
        module = elf({"x": b"y"})
        self.assertEqual(btf_offsets.unpack_elf(module, self.name), module)
        self.assertEqual(btf_offsets.unpack_elf(lzma.compress(module) + b"size", self.name), module)
        legacy = subprocess.run(["lz4", "-lzc"], input=module, capture_output=True, check=True).stdout
        self.assertTrue(btf_offsets.unpack_elf(legacy + b"size", self.name).startswith(module))
        with self.assertRaisesRegex(Refusal, "damaged xz data"):
            btf_offsets.unpack_elf(b"\xfd7zXZ\0" + b"?" * 50, self.name)
        with self.assertRaisesRegex(Refusal, "damaged gzip data"):
            btf_offsets.unpack_elf(b"\x1f\x8b" + b"?" * 50, self.name)
        with self.assertRaisesRegex(Refusal, "not an ELF file"):
            btf_offsets.unpack_elf(b"text", self.name)
        with self.assertRaisesRegex(Refusal, "not an ELF file"):
            btf_offsets.unpack_elf(lzma.compress(b"text"), self.name)

    def test_build_id(self) -> None:
        module = elf({".text": b"code", ".note.gnu.build-id": note(b"\x01\xab" * 10)})
        self.assertEqual(btf_offsets.build_id(module, self.name), "01ab" * 10)
        for damaged in (elf({}), elf({".note.gnu.build-id": b""}), elf({".note.gnu.build-id": note(b"a" * 20)[:25]})):
            with self.assertRaisesRegex(Refusal, "has no build-id"):
                btf_offsets.build_id(damaged, self.name)
        with self.assertRaisesRegex(Refusal, "damaged ELF file"):
            btf_offsets.build_id(module[: len(module) - 100], self.name)
        with self.assertRaisesRegex(Refusal, "not a 64-bit"):
            btf_offsets.build_id(module[:10], self.name)

    def test_boot_image(self) -> None:
        payload = lzma.compress(elf({}))
        image = bytearray(2 * 512)
        image[0x1F1] = 1
        image[0x202:0x206] = b"HdrS"
        struct.pack_into("<II", image, 0x248, 16, len(payload))
        whole = bytes(image) + b"?" * 16 + payload + b"rest"
        self.assertEqual(btf_offsets.boot_payload(whole, self.name), payload)
        with self.assertRaisesRegex(Refusal, "shorter than its own header says"):
            btf_offsets.boot_payload(whole[:-20], self.name)
        self.assertEqual(btf_offsets.boot_payload(b"other", self.name), b"other")

    def test_arm64_image(self) -> None:
        types = btf_offsets.BTF_HEADER.pack(0xEB9F, 1, 0, 24, 0, 5, 5, 4) + b"typesstr\0"
        image = (b"MZ".ljust(0x38) + b"ARMd").ljust(100) + types + b"rest"
        for packed in (image, gzip.compress(image)):
            self.assertEqual(btf_offsets.base_types(packed, self.name), types)
        with self.assertRaisesRegex(Refusal, "carries no BTF"):
            btf_offsets.base_types(image[:100], self.name)
        self.assertEqual(btf_offsets.base_types(elf({}), self.name), elf({}))

    def test_where_things_are(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            build = root / "usr/src/linux-headers"
            build.mkdir(parents=True)
            self.assertEqual(btf_offsets.root_of(build), root)
            self.assertEqual(btf_offsets.root_of(Path("/usr/src/linux")), Path("/"))
            with self.assertRaisesRegex(Refusal, "no raid456.ko below .*: install the package of kernel"):
                btf_offsets.find_module(RELEASE, "raid456", root)
            modules = root / "lib/modules" / RELEASE
            (modules / "kernel/drivers/md").mkdir(parents=True)
            (modules / "modules.builtin").write_text("kernel/drivers/md/raid456.ko\n")
            with self.assertRaisesRegex(Refusal, "built into kernel"):
                btf_offsets.find_module(RELEASE, "raid456", root)
            module = modules / "kernel/drivers/md/raid456.ko.zst"
            module.touch()
            self.assertEqual(btf_offsets.find_module(RELEASE, "raid456", root), module)

            with self.assertRaisesRegex(Refusal, "the types of kernel .* are not here"):
                btf_offsets.find_base(RELEASE, build, root)
            (root / "boot").mkdir()
            image = root / "boot" / f"vmlinuz-{RELEASE}"
            image.touch()
            self.assertEqual(btf_offsets.find_base(RELEASE, build, root), image)
            (build / "vmlinux").touch()
            self.assertEqual(btf_offsets.find_base(RELEASE, build, root), build / "vmlinux")

    def test_tools(self) -> None:
        with self.assertRaisesRegex(Refusal, "needs no-such-tool, which is not installed"):
            btf_offsets.run(["no-such-tool"], "a test")
        with self.assertRaisesRegex(Refusal, "a test: false says: exit status 1"):
            btf_offsets.run(["false"], "a test")

    def test_dump_is_no_json(self) -> None:
        with (
            mock.patch.object(btf_offsets, "run", return_value=b""),
            self.assertRaisesRegex(Refusal, "output is not JSON"),
        ):
            btf_offsets.dump(["btf"], self.name)

    def test_kernel_is_asked_for_what_the_module_lacks(self) -> None:
        wanted = btf_offsets.read_list(LIST.read_text(), LIST.name)
        own, base = with_md_built_in("6.12")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            module = root / "raid456.ko"
            module.write_bytes(elf({".note.gnu.build-id": note(b"\x01\xab" * 10)}))
            (root / "vmlinux").touch()
            for first, calls in ((own, 2), (dumped("6.12"), 1)):
                with mock.patch.object(btf_offsets, "dump", side_effect=[first, base]) as dump:
                    types, identity = btf_offsets.read_types(module, wanted, RELEASE, root, root)
                self.assertEqual(dump.call_count, calls)
                self.assertEqual(dump.call_args_list[0].args[0][:2], ["-B", str(root / "vmlinux")])
                self.assertEqual(identity, "01ab" * 10)
                self.assertIn("mddev__kobj", btf_offsets.header(wanted, types, identity))


if __name__ == "__main__":
    unittest.main()
