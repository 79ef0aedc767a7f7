# SPDX-License-Identifier: GPL-2.0-only
"""Write a C header with offsets in private structures of a kernel's own module, from its BTF.

Usage: btf_offsets.py --release RELEASE --build DIR --list FILE --out HEADER

DIR is the kernel's build tree (its headers package). FILE lists the wanted values, one kind per line:

    module NAME                 the module with these private types
    struct NAME MEMBER...       offset of each member, as NAME__MEMBER
    size NAME                   size of a structure, as NAME__SIZE
    room NAME MEMBER BYTES WHY  no value: fails the build if less than BYTES are between this member and the next.
                                WHY continues the error message, and says what to do
    value NAME...               values of enumerators, in capitals

The header defines each with the module's name before it (RAID456_stripe_head__lru). It also defines the build-id of
the module that they were read from (RAID456_BUILD_ID), to be compared with that of the loaded module.

The types of a module are split BTF: their numbers continue those of its own vmlinux, so they cannot be read without
it. Types that both have are in vmlinux only. So this reads vmlinux's types too if the module lacks a wanted type: md's
structures, where md is built into the kernel (CONFIG_BLK_DEV_MD=y, as in Ubuntu and RHEL). A missing type fails the
build with one sentence.

The module's build-id covers those structures as well. If its code had been compiled with other structures than those
of vmlinux, they would be among its own types. With another md in the kernel, raid456 itself would use the wrong
structures; MODVERSIONS prevents loading it then, because the CRCs of md's functions cover struct mddev.
"""

import argparse
import contextlib
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ELF_MAGIC = b"\x7fELF"
# The header of BTF: magic, version 1, no flags, and its own length.
BTF_HEADER = struct.Struct("<HBBIIIII")
BTF_BEGIN = struct.pack("<HBBI", 0xEB9F, 1, 0, BTF_HEADER.size)
NT_GNU_BUILD_ID = 3


class Refusal(Exception):
    """Why no header can be written, and what to do."""


@dataclass
class Wanted:
    """The contents of a list."""

    module: str = ""
    members: list[tuple[str, str]] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    rooms: list[tuple[str, str, int, str]] = field(default_factory=list)


def read_list(text: str, name: str) -> Wanted:
    wanted = Wanted()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        kind, count = "".join(words[:1]), len(words)
        # Not by match, because the python3 of RHEL 9, which builds the module there, is 3.9.
        if kind == "module" and count == 2:
            wanted.module = words[1]
        elif kind == "struct" and count > 2:
            wanted.members += [(words[1], member) for member in words[2:]]
        elif kind == "size" and count == 2:
            wanted.sizes.append(words[1])
        elif kind == "room" and count > 4 and words[3].isdecimal():
            wanted.rooms.append((words[1], words[2], int(words[3]), " ".join(words[4:])))
        elif kind == "value" and count > 1:
            wanted.values += words[1:]
        elif words:
            raise Refusal(f"{name}:{number}: neither module, struct, size, room nor value")
    if not wanted.module:
        raise Refusal(f"{name}: has no line 'module'")
    return wanted


# Files of the kernel


def run(command: list[str], what: str) -> bytes:
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise Refusal(f"{what} needs {command[0]}, which is not installed: install the package {command[0]}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise Refusal(f"{what}: {command[0]} says: {said.splitlines()[-1]}")
    return done.stdout


def unpack_by(program: str, data: bytes) -> bytes:
    with tempfile.NamedTemporaryFile() as packed:
        packed.write(data)
        packed.flush()
        # A boot image has its unpacked size after the frame; the programs report that as trailing garbage.
        done = subprocess.run([program, "-dcqf", packed.name], capture_output=True, check=False)
    if not done.stdout:
        raise OSError("no output")
    return done.stdout


def unzstd(data: bytes) -> bytes:
    return unpack_by("zstd", data)


def unlz4(data: bytes) -> bytes:
    return unpack_by("lz4", data)


def unpack_xz(data: bytes) -> bytes:
    return lzma.LZMADecompressor().decompress(data)


def unpack_gzip(data: bytes) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data)


PACKERS: list[tuple[bytes, str, Callable[[bytes], bytes]]] = [
    (b"\xfd7zXZ\0", "xz", unpack_xz),
    (b"\x28\xb5\x2f\xfd", "zstd", unzstd),
    (b"\x1f\x8b", "gzip", unpack_gzip),
    (b"\x5d\0\0", "lzma", unpack_xz),
    # The legacy format, in which kernels are packed: Debian 12's cloud kernel is.
    (b"\x02\x21\x4c\x18", "lz4", unlz4),
]


def unpack(data: bytes, name: Path) -> bytes:
    """Unpack data; plain data is returned as it is."""
    for magic, packer, unpacker in PACKERS:
        if data.startswith(magic):
            try:
                return unpacker(data)
            except FileNotFoundError:
                raise Refusal(f"{name} is packed with {packer}: install the package {packer}") from None
            except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
                raise Refusal(f"{name}: damaged {packer} data ({error}): reinstall the kernel's packages") from None
    return data


def as_elf(data: bytes, name: Path) -> bytes:
    """Return data if it is an ELF file."""
    if not data.startswith(ELF_MAGIC):
        raise Refusal(f"{name}: not an ELF file, and not packed by xz, zstd, gzip, lzma or lz4")
    return data


def unpack_elf(data: bytes, name: Path) -> bytes:
    """Return the ELF file in data, which may be packed."""
    return as_elf(unpack(data, name), name)


def boot_payload(image: bytes, name: Path) -> bytes:
    """Return the kernel in an x86 boot image; other files as they are."""
    if image[0x202:0x206] != b"HdrS":
        return image
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    begin = (setup_sectors + 1) * 512 + offset
    if begin + length > len(image):
        raise Refusal(f"{name}: shorter than its own header says: reinstall the kernel's packages")
    return image[begin : begin + length]


def base_types(image: bytes, name: Path) -> bytes:
    """Return the types in a boot image as bpftool reads them: an ELF file, or on arm64 the bare BTF."""
    kernel = unpack(boot_payload(image, name), name)
    if kernel[0x38:0x3C] != b"ARMd":
        return as_elf(kernel, name)
    # An image of the kernel in memory, without a table of its sections.
    begin = kernel.find(BTF_BEGIN)
    if begin < 0:
        raise Refusal(f"{name}: this kernel carries no BTF; use one with CONFIG_DEBUG_INFO_BTF")
    *_, strings, strings_size = BTF_HEADER.unpack_from(kernel, begin)
    return kernel[begin : begin + BTF_HEADER.size + strings + strings_size]


def elf_sections(elf: bytes, name: Path) -> Iterator[tuple[str, bytes]]:
    if len(elf) < 64 or elf[4:6] != b"\x02\x01":
        raise Refusal(f"{name}: not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry_size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    try:
        headers = [struct.unpack_from("<IIQQQQ", elf, table + entry_size * number) for number in range(count)]
        strings = headers[names][4] if headers else 0
        for offset, _, _, _, begin, size in headers:
            end = elf.index(b"\0", strings + offset)
            yield elf[strings + offset : end].decode(errors="replace"), elf[begin : begin + size]
    except (struct.error, ValueError, IndexError):
        raise Refusal(f"{name}: damaged ELF file: reinstall the kernel's packages") from None


def build_id(elf: bytes, name: Path) -> str:
    for section, note in elf_sections(elf, name):
        if section == ".note.gnu.build-id" and len(note) > 16:
            name_size, size, kind = struct.unpack_from("<III", note)
            begin = 12 + (name_size + 3) // 4 * 4
            if kind == NT_GNU_BUILD_ID and len(note) >= begin + size:
                return note[begin : begin + size].hex()
    raise Refusal(f"{name}: has no build-id, so the loaded module could not be compared with it")


def root_of(build: Path) -> Path:
    """Return the root of the file system that a build tree is in, which may be below another."""
    head, found, _ = str(build).partition("/usr/src/")
    return Path(head or "/") if found else Path("/")


def find_module(release: str, module: str, root: Path) -> Path:
    folder = root / "lib/modules" / release
    for suffix in ("", ".xz", ".zst", ".gz"):
        for path in sorted(folder.glob(f"kernel/**/{module}.ko{suffix}")):
            return path
    builtin = folder / "modules.builtin"
    if builtin.exists() and f"/{module}.ko\n" in builtin.read_text():
        raise Refusal(f"{module} is built into kernel {release}: this module is for kernels that have it as a module")
    raise Refusal(f"no {module}.ko below {folder}: install the package of kernel {release} itself, beside its headers")


def find_base(release: str, build: Path, root: Path) -> Path:
    """Find the file with the types on which those of the kernel's modules are based."""
    candidates = [
        build / "vmlinux",
        root / "boot" / f"vmlinuz-{release}",
        root / "lib/modules" / release / "vmlinuz",
        root / "boot" / f"vmlinux-{release}",
    ]
    for path in candidates:
        if path.exists():
            return path
    running = Path("/sys/kernel/btf/vmlinux")
    if release == os.uname().release and root == Path("/") and running.exists():
        return running
    places = " nor ".join(str(path) for path in candidates[:2])
    raise Refusal(f"the types of kernel {release} are not here: neither {places} exists; install the kernel's package")


# Ubuntu has a bpftool here for each kernel.
LINUX_TOOLS = Path("/usr/lib/linux-tools")


def bpftool() -> str:
    """Find bpftool. On Ubuntu 24.04 that is a script, which has it for some kernels only; any of them serves here."""
    others = LINUX_TOOLS.glob("*/bpftool")
    for command in ("bpftool", *map(str, others)):
        with contextlib.suppress(OSError):
            if subprocess.run([command, "version"], capture_output=True, check=False).returncode == 0:
                return command
    return "bpftool"


def dump(arguments: list[str], what: Path) -> Json:
    """Return types as bpftool prints them."""
    said = run([bpftool(), "-j", *arguments], f"reading the types of {what}")
    try:
        types: Json = json.loads(said)
    except json.JSONDecodeError:
        raise Refusal(f"{what}: bpftool's output is not JSON") from None
    return types


def read_types(module: Path, wanted: Wanted, release: str, build: Path, root: Path) -> tuple["Types", str]:
    """Return the types that the module was compiled with, as far as wanted, and its build-id."""
    elf = unpack_elf(module.read_bytes(), module)
    base = find_base(release, build, root)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "module.ko"
        plain.write_bytes(elf)
        if base.name != "vmlinux":
            try:
                kernel = base_types(base.read_bytes(), base)
            except PermissionError:
                raise Refusal(f"{base}: only root may read it: build as root, as dkms does") from None
            base = Path(folder) / "vmlinux"
            base.write_bytes(kernel)
        own = dump(["-B", str(base), "btf", "dump", "file", str(plain)], module)
        types = Types(own, f"{module.name} of kernel {release}")
        if not types.have(wanted):
            types.add(dump(["btf", "dump", "file", str(base)], Path(f"kernel {release}")))
    return types, build_id(elf, module)


# The types


class Types:
    """Structures and enumerators by name, from bpftool's JSON."""

    def __init__(self, dumped: Json, source: str) -> None:
        self.source = source
        self.structs: dict[str, Json] = {}
        self.values: dict[str, int] = {}
        self.by_id: dict[int, Json] = {}
        self.add(dumped)

    def add(self, dumped: Json) -> None:
        """Add types. Of two with one name the first counts: a module's own before the kernel's."""
        types = dumped.get("types")
        if not isinstance(types, list) or not types:
            raise Refusal(f"{self.source}: no types in it: was it built without BTF, or for another vmlinux?")
        for entry in types:
            self.by_id[entry["id"]] = entry
            if entry["kind"] == "STRUCT":
                self.structs.setdefault(entry["name"], entry)
            elif entry["kind"] in ("ENUM", "ENUM64"):
                for value in entry["values"]:
                    self.values.setdefault(value["name"], value["val"])

    def have(self, wanted: Wanted) -> bool:
        """Whether all wanted types and enumerators are here. Members are not checked."""
        structs = {name for name, *_ in [*wanted.members, *wanted.rooms]} | set(wanted.sizes)
        return structs <= self.structs.keys() and set(wanted.values) <= self.values.keys()

    def struct(self, name: str) -> Json:
        if name not in self.structs:
            raise Refusal(f"{self.source}: no struct {name}: another kernel's vmlinux, or an unsupported version")
        return self.structs[name]

    def offset(self, name: str, member: str) -> int:
        for bits, entry in self.members(self.struct(name)):
            if entry["name"] == member:
                if bits % 8 or entry.get("bitfield_size"):
                    raise Refusal(f"{self.source}: {name}.{member} is a bit field: an unsupported version")
                return bits // 8
        raise Refusal(f"{self.source}: struct {name} has no member {member}: an unsupported version")

    def room(self, name: str, member: str) -> int:
        """Return the bytes from a member to the next: its size, or more."""
        begin, struct_ = self.offset(name, member), self.struct(name)
        ends = [bits // 8 for bits, _ in self.members(struct_)] + [struct_["size"]]
        return min(end for end in ends if end > begin) - begin

    def members(self, entry: Json, base: int = 0) -> Iterator[tuple[int, Json]]:
        """Yield members with their offsets in bits, also those of anonymous structures and unions."""
        for member in entry["members"]:
            bits = base + member["bits_offset"]
            yield bits, member
            inner = self.by_id.get(member["type_id"])
            if member["name"] == "(anon)" and inner and inner["kind"] in ("STRUCT", "UNION"):
                yield from self.members(inner, bits)

    def value(self, name: str) -> int:
        if name not in self.values:
            raise Refusal(f"{self.source}: no enumerator {name}: an unsupported version")
        return self.values[name]


def header(wanted: Wanted, types: Types, identity: str) -> str:
    prefix = wanted.module.upper().replace("-", "_")
    for name, member, size, why in wanted.rooms:
        if (room := types.room(name, member)) < size:
            raise Refusal(f"{types.source}: {name}.{member} has {room} bytes, not {size}, {why}")
    lines = [
        "/* SPDX-License-Identifier: GPL-2.0-only */",
        f"/* Written by btf_offsets.py, from {types.source}. */",
        f'#define {prefix}_BUILD_ID "{identity}"',
    ]
    lines += [f"#define {prefix}_{name}__{member} {types.offset(name, member)}" for name, member in wanted.members]
    lines += [f"#define {prefix}_{name}__SIZE {types.struct(name)['size']}" for name in wanted.sizes]
    lines += [f"#define {prefix}_{name.upper()} {types.value(name)}" for name in wanted.values]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="btf_offsets.py", description="offsets in a module's private structures")
    parser.add_argument("--release", required=True, help="the kernel, as uname -r says it")
    parser.add_argument("--build", required=True, type=Path, metavar="DIR", help="its build tree")
    parser.add_argument("--list", required=True, type=Path, metavar="FILE", help="wanted values")
    parser.add_argument("--out", required=True, type=Path, metavar="HEADER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="bpftool's output instead of a module; for lint")
    options = parser.parse_args()
    wanted = read_list(options.list.read_text(), options.list.name)
    if options.json:
        # A module built so refuses to load: no raid456 has this build-id.
        types, identity = Types(json.loads(options.json.read_text()), options.json.name), "none"
    else:
        root = root_of(options.build.resolve())
        module = find_module(options.release, wanted.module, root)
        types, identity = read_types(module, wanted, options.release, options.build, root)
    text = header(wanted, types, identity)
    if not options.out.exists() or options.out.read_text() != text:
        options.out.write_text(text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refusal as refusal:
        sys.exit(f"btf_offsets: {refusal}")
