# SPDX-License-Identifier: GPL-2.0-only
"""Whether this kernel can have the modules: built, signed, with its hooks free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import DEBUGFS, Hook, State, module_file

# Of files with one name, the first is read.
LOAD_LISTS = ("/etc/modules-load.d", "/run/modules-load.d", "/usr/lib/modules-load.d")
# Of the keys that DKMS signs with, Ubuntu's and its own.
CERTIFICATES = ("/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub")
FTRACE = ("CONFIG_DYNAMIC_FTRACE_WITH_REGS", "CONFIG_DYNAMIC_FTRACE_WITH_ARGS")


def present_states(states: list[State]) -> list[State]:
    """The modules that somebody wants on this machine."""
    return [state for state in states if state.installed or state.file or state.loaded]


def check_installed(host: Host, states: list[State]) -> Iterator[Finding]:
    if not present_states(states):
        yield Finding(
            PROBLEM,
            "installed",
            "no module of seqkeep is installed",
            "install ctxra-dkms, or the metapackage seqkeep",
        )


def check_built(host: Host, states: list[State]) -> Iterator[Finding]:
    """Each installed module has a file for the running kernel, and what is loaded is that file."""
    for state in present_states(states):
        name = state.module.name
        if state.installed and not state.file:
            why, remedy = reason_not_built(host, state)
            yield Finding(PROBLEM, "built", f"{name} is not built for kernel {host.release}{why}", remedy)
        if state.loaded and not state.file and not state.installed:
            yield Finding(
                ADVICE,
                "built",
                f"{name} is loaded, and its package is not installed",
                f"rmmod {state.module.directory}"
                "  # is it there again after a restart, then the initramfs has it: dracut -f",
            )
        if state.loaded and state.file:
            now = host.text(f"/sys/module/{state.module.directory}/srcversion")
            file = host.command("modinfo", "-F", "srcversion", str(host.path(state.file)))
            if now and file and now != file:
                yield Finding(
                    ADVICE,
                    "built",
                    f"the {name} that is loaded is not the one that is installed",
                    reload_command(state),
                )


def reload_command(state: State) -> str:
    """What takes a module out and loads it anew, as far as it is known how it was loaded."""
    name = state.module.name
    # Taking nfs-ra out gives mounts their old values back; only with apply it sets them again, for which rmmod may have
    # to wait for a server that is dead: it is proposed only to those who have it.
    applies = state.parameters.get("apply") == "1"
    options = " enable=1 apply=1" if applies else " enable=1"
    lost = "what was set in /sys/module since it was loaded is lost"
    if name == "nfs-ra" and state.enabled and not applies:
        lost += ", and so is the readahead of what is mounted"
    return f"modprobe -r {name} && modprobe {name}{options if state.enabled else ''}  # when it suits: {lost}"


def reason_not_built(host: Host, state: State) -> tuple[str, str]:
    """What to say of a module that has no file for the running kernel, and the remedy."""
    name = state.module.name
    kernels = range_if_outside(host, state, host.release)
    if kernels:
        return f": it is made for kernels {kernels}", "start one of these kernels, or upgrade seqkeep"
    lacking = ", ".join(missing_options(host, dkms_conf(state), host.release))
    if lacking:
        return f": it has no {lacking}", f"remove {name}-dkms; this kernel cannot have it"
    again = f"dkms autoinstall -k {host.release}"
    if lacks_raid456(host, state, host.release):
        return (
            ": that kernel's raid456.ko is not there, which has the types it needs",
            f"install the package of the kernel itself (Fedora, RHEL: kernel-modules-{host.release}), then {again}",
        )
    return "", f"{again}  # if that fails, see /var/lib/dkms/{name}/{state.installed}/build/make.log"


def dkms_conf(state: State) -> str:
    return f"/usr/src/{state.module.name}-{state.installed}/dkms.conf"


def range_if_outside(host: Host, state: State, release: str) -> str:
    """The kernels that an installed module is made for, as "6.1 to 7.3"; "" if this one is among them."""
    text = host.text(dkms_conf(state)) or ""
    wanted = re.search(r'^BUILD_EXCLUSIVE_KERNEL="([^"]*)"', text, re.MULTILINE)
    if not wanted or re.search(wanted[1], release):
        return ""
    said = re.search(r'made for kernels ([^"]+)"', text)
    return said[1] if said else f"that match {wanted[1]}"


def lacks_raid456(host: Host, state: State, release: str) -> bool:
    """Whether a module needs the types in a kernel's raid456.ko and that is not there."""
    drivers = f"/lib/modules/{release}/kernel/drivers/md"
    return state.module.name == "raid5-deadline" and not any(host.find(drivers, "raid456.ko*"))


def missing_options(host: Host, conf: str, release: str) -> list[str]:
    """The kernel options that a module's dkms.conf asks for and a kernel is built without."""
    config = host.kernel_config(release)
    if config is None:
        return []
    wanted = re.search(r'^needed="([^"]*)"', host.text(conf) or "", re.MULTILINE)
    lacking = [option for option in (wanted[1].split() if wanted else []) if config.get(option) not in ("y", "m")]
    if not any(config.get(option) == "y" for option in FTRACE):
        lacking.append(" or ".join(FTRACE))
    return lacking


def check_headers(host: Host, states: list[State]) -> Iterator[Finding]:
    """DKMS can build for every kernel that this machine may be started with."""
    ours = [state for state in states if state.installed]
    for release in bootable_kernels(host):
        if all(range_if_outside(host, state, release) for state in ours):
            # Headers would not help.
            continue
        if not host.exists(f"/lib/modules/{release}/build/Makefile"):
            running = release == host.release
            then = "the modules cannot be built for it" if running else "after a start of it, the modules are missing"
            missing = any(not module_file(host, state.module, release) for state in ours)
            yield Finding(
                PROBLEM if running and missing else ADVICE,
                "headers",
                f"kernel {release} has no headers: {then}",
                f"install linux-headers-{release} (Debian, Ubuntu) or kernel-devel-{release} (Fedora, RHEL)",
            )


def bootable_kernels(host: Host) -> list[str]:
    """The kernels that this machine may be started with."""
    return [
        release
        for release in host.names("/lib/modules")
        if host.exists(f"/boot/vmlinuz-{release}") or host.exists(f"/lib/modules/{release}/vmlinuz")
    ]


def check_kernel_range(host: Host, states: list[State]) -> Iterator[Finding]:
    """The next start is not of a kernel that the modules are not made for. built() looks at the one that runs."""
    ours = [state for state in states if state.installed]
    for release in bootable_kernels(host):
        ranges = {state.module.name: range_if_outside(host, state, release) for state in ours}
        missing = [name for name, range_ in ranges.items() if range_]
        if missing and release != host.release:
            yield Finding(
                ADVICE,
                "kernels",
                f"kernel {release} is not one of {ranges[missing[0]]}, which {', '.join(missing)} need:"
                " after a start of it, the modules are missing",
                "remove the package of that kernel, or start another one by default; or upgrade seqkeep",
            )


def check_other_kernels(host: Host, states: list[State]) -> Iterator[Finding]:
    """Kernels that may be started next have the modules that can be built for them.

    The dkms of Debian 12 builds a module that is installed for the running kernel and the newest one only.
    """
    for release in bootable_kernels(host):
        if release == host.release or not host.exists(f"/lib/modules/{release}/build/Makefile"):
            # built() and headers() look at these.
            continue
        missing = [
            state.module.name
            for state in states
            if state.installed and not module_file(host, state.module, release) and can_build(host, state, release)
        ]
        if missing:
            yield Finding(
                ADVICE,
                "kernels",
                f"kernel {release} has no {', '.join(missing)}: after a start of it, the modules are missing",
                f"dkms autoinstall -k {release}",
            )


def can_build(host: Host, state: State, release: str) -> bool:
    """Whether DKMS would not skip that kernel."""
    return not (
        range_if_outside(host, state, release)
        or missing_options(host, dkms_conf(state), release)
        or lacks_raid456(host, state, release)
    )


def check_btf(host: Host, states: list[State]) -> Iterator[Finding]:
    """raid5-deadline reads the layout of md's structures from BTF."""
    if not any(state.installed and state.module.name == "raid5-deadline" for state in states):
        return
    if not host.exists("/sys/kernel/btf/vmlinux"):
        yield Finding(
            PROBLEM,
            "types",
            "this kernel carries no BTF: raid5-deadline cannot know the layout of md's structures",
            "use a kernel with CONFIG_DEBUG_INFO_BTF, as the distribution's own are",
        )


def check_signatures(host: Host, states: list[State]) -> Iterator[Finding]:
    """Where only signed modules are loaded, ours are signed, by a key that the kernel has."""
    why = reason_for_signed_only(host)
    if not why:
        return
    keys = host.text("/proc/keys")
    # Others than root are not shown the kernel's own keys.
    are_shown = ".builtin_trusted_keys" in (keys or "")
    unknown = []
    for state in present_states(states):
        if not state.file:
            continue
        name = state.module.name
        signer = host.command("modinfo", "-F", "signer", str(host.path(state.file)))
        if signer is None:
            yield Finding(
                UNKNOWN,
                "signatures",
                f"{why}; {state.file} cannot be asked for its signature",
                "run seqkeep as root, with modinfo (package kmod) installed",
            )
        elif not signer:
            yield Finding(
                PROBLEM,
                "signatures",
                f"{why}, and {name} is not signed",
                f"let DKMS sign: see dkms(8), mok_signing_key; then {rebuild_command(host, state)}",
            )
        elif keys is None or state.loaded or (signer in keys and not is_other_key(host, state, keys)):
            continue
        elif not are_shown:
            unknown.append(name)
        else:
            which = "another key of which this kernel knows" if signer in keys else "which this kernel does not know"
            yield Finding(
                PROBLEM,
                "signatures",
                f'{why}, and {name} is signed by "{signer}", {which}',
                f"mokutil --import {certificate_files(host)}  # then restart, and enrol the key when asked",
            )
    if unknown:
        yield Finding(
            UNKNOWN,
            "signatures",
            f"{why}; its keys are not shown, so it may not know those of {', '.join(unknown)}",
            "run seqkeep as root",
        )


def is_other_key(host: Host, state: State, keys: str) -> bool:
    """Whether the kernel has another key of the name, but not the one: DKMS gives the keys of all machines one name.

    A module names its key by the serial number of the certificate, /proc/keys by the identifier of the key in it.
    """
    serial = normalize_key_id(host.command("modinfo", "-F", "sig_key", str(host.path(state.file))) or "")
    for file in CERTIFICATES:
        form = ("-inform", "DER", "-noout", "-serial", "-ext", "subjectKeyIdentifier")
        said = host.command("openssl", "x509", "-in", str(host.path(file)), *form)
        numbers = re.search(r"^serial=(\w+)\n.*\s([0-9A-F:]+)$", said or "", re.DOTALL)
        if serial and numbers and normalize_key_id(numbers[1]) == serial:
            return normalize_key_id(numbers[2]) not in keys
    # Nothing tells.
    return False


def normalize_key_id(number: str) -> str:
    """A number as it is in /proc/keys, from one in pairs of digits with colons."""
    return number.replace(":", "").lower().lstrip("0")


def rebuild_command(host: Host, state: State) -> str:
    """What has DKMS build and sign a module again: autoinstall leaves out what is installed."""
    which = f"{state.module.name}/{state.installed or 'VERSION'} -k {host.release}"
    return f"dkms build --force {which} && dkms install --force {which}"


def certificate_files(host: Host) -> str:
    """What is to be enrolled. Ubuntu's DKMS signs with a key of Ubuntu's; where there are two, either may be in use."""
    return " ".join(name for name in CERTIFICATES if host.exists(name)) or CERTIFICATES[-1]


def check_boot_list(host: Host, states: list[State]) -> Iterator[Finding]:
    """What each start is to load is loaded. built() tells what cannot be."""
    listed = modules_loaded_at_boot(host)
    for state in states:
        name, directory = state.module.name, state.module.directory
        if directory in listed and state.file and not state.loaded:
            yield Finding(
                PROBLEM,
                "wanted",
                f"{name} is to be loaded at each start, by {listed[directory]}, and is not loaded",
                f'modprobe {name}  # if it is refused, dmesg | grep "{directory}:" says why',
            )


def modules_loaded_at_boot(host: Host) -> dict[str, str]:
    """The modules that are listed to be loaded, as /sys/module names them, and the file that each is in."""
    files: dict[str, str] = {}
    for directory in LOAD_LISTS:
        for name in host.names(directory):
            if name.endswith(".conf"):
                files.setdefault(name, f"{directory}/{name}")
    listed: dict[str, str] = {}
    for file in ("/etc/modules", *files.values()):
        for line in (host.text(file) or "").splitlines():
            words = line.split()
            if words and words[0][0] not in "#;":
                listed.setdefault(words[0].replace("-", "_"), file)
    return listed


def is_locked_down(host: Host, name: str) -> bool:
    """Whether lockdown closes a file for everybody, root included. It leaves open who has hooked what, in tracefs."""
    return lockdown_level(host) != "none" and name.startswith(DEBUGFS)


def lockdown_level(host: Host) -> str:
    found = re.search(r"\[(\w+)\]", host.text("/sys/kernel/security/lockdown") or "")
    return found[1] if found else "none"


def reason_for_signed_only(host: Host) -> str:
    """Why this kernel loads signed modules only; "" if it loads any."""
    if host.text("/sys/module/module/parameters/sig_enforce") == "Y":
        return "this kernel loads signed modules only (module.sig_enforce)"
    if lockdown_level(host) != "none":
        return f"this kernel loads signed modules only (lockdown={lockdown_level(host)})"
    return ""


def check_lockdown(host: Host, states: list[State]) -> Iterator[Finding]:
    if lockdown_level(host) != "none":
        yield Finding(
            ADVICE,
            "lockdown",
            f"lockdown={lockdown_level(host)} closes debugfs: the modules work, their counters are not seen",
            "nothing has to be done; a start without lockdown shows them",
        )


def check_debugfs(host: Host, states: list[State]) -> Iterator[Finding]:
    if lockdown_level(host) == "none" and not host.names(DEBUGFS) and DEBUGFS not in host.unread:
        off = "debugfs=off" in (host.text("/proc/cmdline") or "")
        yield Finding(
            ADVICE,
            "debugfs",
            "debugfs is "
            + ("switched off" if off else "not mounted")
            + ": the modules work, their counters are not seen",
            "start without debugfs=off" if off else f"mount -t debugfs none {DEBUGFS}",
        )


def check_tracing(host: Host, states: list[State]) -> Iterator[Finding]:
    """What all hooks go through is switched on."""
    if host.text("/proc/sys/kernel/ftrace_enabled") == "0":
        yield Finding(
            PROBLEM, "tracing", "ftrace is switched off: hooks are not called", "sysctl kernel.ftrace_enabled=1"
        )
    if host.text(f"{DEBUGFS}/kprobes/enabled") == "0":
        yield Finding(
            PROBLEM, "tracing", "kprobes are switched off: hooks are not called", f"echo 1 > {DEBUGFS}/kprobes/enabled"
        )


def livepatched_functions(host: Host) -> dict[str, str]:
    """The functions that livepatches replace, and which does."""
    functions = {}
    for patch in host.names("/sys/kernel/livepatch"):
        for object_ in host.names(f"/sys/kernel/livepatch/{patch}"):
            for entry in host.names(f"/sys/kernel/livepatch/{patch}/{object_}"):
                # "FUNCTION,WHICH-OF-THAT-NAME"
                if "," in entry:
                    functions[entry.split(",")[0]] = patch
    return functions


def check_hooks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Enabled modules have their hooks, and nobody holds what the others would need."""
    patched = livepatched_functions(host)
    for state in present_states(states):
        name, listed = state.module.name, state.all_hooked
        for hook in state.module.hooks:
            if state.enabled:
                if listed is not None and hook.function not in listed and is_required(host, hook):
                    yield Finding(
                        PROBLEM,
                        "hooks",
                        f"{name} is enabled, but {hook.function}() is not hooked",
                        f'dmesg | grep "{state.module.directory}:"  # says why; disable and enable it again',
                    )
            elif hook.exclusive and hook.function in patched:
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: livepatch {patched[hook.function]} replaces {hook.function}()",
                    "restart into a kernel that has the fix built in, or do without the module",
                )
            elif hook.exclusive and listed is not None and re.search(r"\) R? *I", listed.get(hook.function, "")):
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: something else has taken the place of {hook.function}()",
                    "its line in /sys/kernel/tracing/enabled_functions says what",
                )


def is_required(host: Host, hook: Hook) -> bool:
    """Hooks in a module come and go with it."""
    return not hook.optional and (not hook.where or host.exists(f"/sys/module/{hook.where}/initstate"))


def check_enabled(host: Host, states: list[State]) -> Iterator[Finding]:
    for state in states:
        if state.loaded and not state.enabled:
            yield Finding(
                ADVICE,
                "enabled",
                f"{state.module.name} is loaded and disabled: it does nothing",
                f"echo 1 > /sys/module/{state.module.directory}/parameters/enable",
            )
