# SPDX-License-Identifier: GPL-2.0-only
"""Check that the modules are built and signed for this kernel, and that their hooks are in place or free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .boot import PLACES, Boot, load_file, options_file, read_boot
from .device_conf import FILE, has_listed_disk, read_settings
from .errors import SeqkeepError
from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import DEBUGFS, Hook, State, module_file, version_key
from .own_files import read_own

# DKMS signs with Ubuntu's key or with its own.
CERTIFICATES = ("/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub")
# There while seqkeep try runs, or if it and its watchdog were killed.
TRIAL = "/run/seqkeep/try/state"
FTRACE = ("CONFIG_DYNAMIC_FTRACE_WITH_REGS", "CONFIG_DYNAMIC_FTRACE_WITH_ARGS")
# raid5-deadline refuses these kernels (its dkms.conf.in): raid456 has stripes of another size there.
LARGE_PAGES = {"CONFIG_ARM64_16K_PAGES": "16 KiB", "CONFIG_ARM64_64K_PAGES": "64 KiB"}
# And these versions, as LINUX_VERSION_CODE: 6.1 before 6.1.53, and 6.2, whose md differs.
UNSUPPORTED_VERSIONS = (range(0x060100, 0x060135), range(0x060200, 0x060300))
MISSING_AFTER_BOOT = "the modules will be missing when it is booted"


def present_states(states: list[State]) -> list[State]:
    """Return the modules that are installed, built or loaded."""
    return [state for state in states if state.installed or state.file or state.loaded]


def check_installed(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that a module is installed at all; check_boot_list() reports those that should be."""
    listed = modules_loaded_at_boot(host)
    if not present_states(states) and not any(state.module.directory in listed for state in states):
        yield Finding(
            ADVICE,
            "installed",
            "no module of seqkeep is installed; the tools need none",
            "seqkeep advise  # says which of them would help here",
        )


def check_trial(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that no killed seqkeep try has left a module changed."""
    if host.exists(TRIAL):
        yield Finding(
            ADVICE,
            "trial",
            "seqkeep try is running, or was killed and has left a module changed",
            "seqkeep try --restore  # says so if one is running",
        )


def check_built(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that each installed module is built for the running kernel, and that the loaded one is that file."""
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
                "  # if it is loaded again after a reboot, the initramfs contains it: dracut -f",
            )
        if state.loaded and state.file:
            now = host.text(f"/sys/module/{state.module.directory}/srcversion")
            file = host.command("modinfo", "-F", "srcversion", str(host.path(state.file)))
            if now and file and now != file:
                yield Finding(
                    ADVICE,
                    "built",
                    f"the loaded {name} differs from the installed one",
                    reload_command(host, state),
                )


def reload_command(host: Host, state: State) -> str:
    """Return the command that unloads a module and loads it with the options that it seems to have been loaded with."""
    name = state.module.name
    boot = boot_or_none(host, state)
    if boot and (state.observing if boot.observe else state.enabled):
        # With its list of devices at once: modprobe would let ctxra act on all disks until udev has set the list.
        how = f"seqkeep enable --now {'' if state.enabled else '--observe '}{name}"
        return f"modprobe -r {name} && {how}  # {lost_by_reload(state, boot.options.get('apply') == '1')}"
    # Unloading nfs-ra restores the old values of mounts. Only apply=1 sets them again, but with apply=1 rmmod may wait
    # for a dead server. So the command has apply=1 only if the loaded module has it.
    applies = state.parameters.get("apply") == "1"
    options = (" enable=1 apply=1" if applies else " enable=1") if state.enabled else " enable=0" if boot else ""
    return f"modprobe -r {name} && modprobe {name}{options}  # {lost_by_reload(state, applies)}"


def lost_by_reload(state: State, applies: bool) -> str:
    lost = "this loses parameters set in /sys/module"
    if state.module.name == "nfs-ra" and state.enabled and not applies:
        lost += ", and what nfs-ra does for the present mounts"
    return lost


def boot_or_none(host: Host, state: State) -> Boot | None:
    """Return what seqkeep enable wrote for a module; None if nothing, or if check_own_files() reports the files."""
    try:
        return read_boot(host, state.module)
    except SeqkeepError:
        return None


def reason_not_built(host: Host, state: State) -> tuple[str, str]:
    """Return why a module has no file for the running kernel, as a clause of a sentence, and the remedy."""
    name = state.module.name
    others = [release for release in bootable_kernels(host) if module_file(host, state.module, release)]
    boot = f"boot {others[-1]}, for which it is built" if others else ""
    kernels = range_if_outside(host, state, host.release)
    if kernels:
        return f": it is made for kernels {kernels}", boot or "boot one of these kernels, or upgrade seqkeep"
    lacking = ", ".join(missing_options(host, dkms_conf(state), host.release))
    if lacking:
        return f": the kernel lacks {lacking}", boot or f"remove {name}-dkms, because no kernel here can run it"
    pages = large_pages(host, state, host.release)
    if pages:
        other = f"boot a kernel with pages of 4 KiB (Debian: linux-image-arm64), or remove {name}-dkms"
        return f": the kernel has pages of {pages}, and it is made for pages of 4 KiB", boot or other
    if has_unsupported_version(host, state, host.release):
        other = f"install a newer kernel, or remove {name}-dkms"
        return ": it does not support 6.1 before 6.1.53 nor 6.2", boot or other
    again = f"dkms autoinstall -k {host.release}"
    if lacks_raid456(host, state, host.release):
        return (
            ": the kernel's raid456.ko, from which it reads types, is not installed",
            f"install the package of the kernel itself (Fedora, RHEL: kernel-modules-{host.release}), then {again}",
        )
    return "", f"{again}  # if that fails, see /var/lib/dkms/{name}/{state.installed}/build/make.log"


def dkms_conf(state: State) -> str:
    return f"/usr/src/{state.module.name}-{state.installed}/dkms.conf"


def range_if_outside(host: Host, state: State, release: str) -> str:
    """Return the kernels that an installed module is made for, as "6.1 to 7.3", if release is not one of them.

    Return "" if it is.
    """
    text = host.text(dkms_conf(state)) or ""
    wanted = re.search(r'^BUILD_EXCLUSIVE_KERNEL="([^"]*)"', text, re.MULTILINE)
    if not wanted or re.search(wanted[1], release):
        return ""
    said = re.search(r'made for kernels ([^"]+)"', text)
    return said[1] if said else f"that match {wanted[1]}"


def lacks_raid456(host: Host, state: State, release: str) -> bool:
    """Return whether a module reads types from the kernel's raid456.ko, and that file is missing."""
    drivers = f"/lib/modules/{release}/kernel/drivers/md"
    return state.module.name == "raid5-deadline" and not any(host.find(drivers, "raid456.ko*"))


def large_pages(host: Host, state: State, release: str) -> str:
    """Return the size of a kernel's pages, as "16 KiB", if a module is not made for such pages; "" otherwise."""
    if state.module.name != "raid5-deadline":
        return ""
    config = host.kernel_config(release) or {}
    return next((size for option, size in LARGE_PAGES.items() if config.get(option) == "y"), "")


def has_unsupported_version(host: Host, state: State, release: str) -> bool:
    """Return whether DKMS skips a module for a kernel's version. Only headers tell it: without them, False."""
    if state.module.name != "raid5-deadline":
        return False
    text = host.text(f"/lib/modules/{release}/build/include/generated/uapi/linux/version.h") or ""
    code = re.search(r"^#define LINUX_VERSION_CODE (\d+)$", text, re.MULTILINE)
    return code is not None and any(int(code[1]) in versions for versions in UNSUPPORTED_VERSIONS)


def missing_options(host: Host, conf: str, release: str) -> list[str]:
    """Return the kernel options that a module's dkms.conf requires and the kernel was built without."""
    config = host.kernel_config(release)
    if config is None:
        return []
    wanted = re.search(r'^needed="([^"]*)"', host.text(conf) or "", re.MULTILINE)
    lacking = [option for option in (wanted[1].split() if wanted else []) if config.get(option) not in ("y", "m")]
    if not any(config.get(option) == "y" for option in FTRACE):
        lacking.append(" or ".join(FTRACE))
    return lacking


def check_headers(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that DKMS has the headers of every bootable kernel that the modules support."""
    ours = [state for state in states if state.installed]
    for release in bootable_kernels(host):
        if all(range_if_outside(host, state, release) for state in ours):
            # DKMS would skip this kernel even with its headers.
            continue
        if not host.exists(f"/lib/modules/{release}/build/Makefile"):
            running = release == host.release
            then = "DKMS cannot build the modules for it" if running else MISSING_AFTER_BOOT
            missing = any(not module_file(host, state.module, release) for state in ours)
            yield Finding(
                PROBLEM if running and missing else ADVICE,
                "headers",
                f"kernel {release} has no headers: {then}",
                f"install linux-headers-{release} (Debian, Ubuntu) or kernel-devel-{release} (Fedora, RHEL)",
            )


def bootable_kernels(host: Host) -> list[str]:
    """Return the releases of the kernels that this machine can boot, the newest last."""
    return [
        release
        for release in sorted(host.names("/lib/modules"), key=version_key)
        if host.exists(f"/boot/vmlinuz-{release}") or host.exists(f"/lib/modules/{release}/vmlinuz")
    ]


def check_kernel_range(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the modules support every bootable kernel; check_built() does so for the running one."""
    ours = [state for state in states if state.installed]
    for release in bootable_kernels(host):
        ranges = {state.module.name: range_if_outside(host, state, release) for state in ours}
        missing = [name for name, range_ in ranges.items() if range_]
        if missing and release != host.release:
            yield Finding(
                ADVICE,
                "kernels",
                f"kernel {release} is not one of {ranges[missing[0]]}, which {', '.join(missing)} need:"
                f" {MISSING_AFTER_BOOT}",
                "remove the package of that kernel, or boot another one by default; or upgrade seqkeep",
            )


def check_other_kernels(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that each module is built for every bootable kernel that DKMS can build it for.

    The dkms of Debian 12 builds a newly installed module for the running kernel and the newest one only.
    """
    # These came built, without DKMS.
    came = [state for state in states if state.file and not state.installed]
    for release in bootable_kernels(host):
        lost = [
            state.module.name
            for state in came
            if not (
                module_file(host, state.module, release)
                or large_pages(host, state, release)
                or has_unsupported_version(host, state, release)
                or lacks_raid456(host, state, release)
            )
        ]
        if lost:
            yield Finding(
                ADVICE,
                "kernels",
                f"kernel {release} has no {', '.join(lost)}: {MISSING_AFTER_BOOT}",
                f"install {' '.join(f'{name}-modules-{release}' for name in lost)} (make prebuilt), or"
                f" kmod-seqkeep-{release}; or remove that kernel",
            )
        if release == host.release or not host.exists(f"/lib/modules/{release}/build/Makefile"):
            # check_built() and check_headers() report these.
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
                f"kernel {release} has no {', '.join(missing)}: {MISSING_AFTER_BOOT}",
                f"dkms autoinstall -k {release}",
            )


def can_build(host: Host, state: State, release: str) -> bool:
    """Return whether DKMS would build a module for a kernel instead of skipping it."""
    return not (
        range_if_outside(host, state, release)
        or missing_options(host, dkms_conf(state), release)
        or large_pages(host, state, release)
        or has_unsupported_version(host, state, release)
        or lacks_raid456(host, state, release)
    )


def check_btf(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the kernel has BTF, from which raid5-deadline reads the layout of md's structures."""
    if not any(state.installed and state.module.name == "raid5-deadline" for state in states):
        return
    if not host.exists("/sys/kernel/btf/vmlinux"):
        yield Finding(
            PROBLEM,
            "types",
            "this kernel has no BTF: raid5-deadline cannot read the layout of md's structures",
            "boot a kernel with CONFIG_DEBUG_INFO_BTF; the distribution's own kernels have it",
        )


def check_signatures(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that our modules are signed by a key of the kernel's, if it loads signed modules only."""
    why = reason_for_signed_only(host)
    if not why:
        return
    keys = host.text("/proc/keys")
    # The kernel shows its own keys to root only.
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
                f"{why}; cannot read the signature of {state.file}",
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
            which = "of which this kernel has another key" if signer in keys else "which this kernel does not know"
            yield Finding(
                PROBLEM,
                "signatures",
                f'{why}, and {name} is signed by "{signer}", {which}',
                f"mokutil --import {certificate_files(host)}  # then reboot, and enrol the key when asked",
            )
    if unknown:
        yield Finding(
            UNKNOWN,
            "signatures",
            f"{why}; cannot read its keys, so it may not know those of {', '.join(unknown)}",
            "run seqkeep as root",
        )


def is_other_key(host: Host, state: State, keys: str) -> bool:
    """Return whether the kernel's key of the signer's name is not the key that signed the module.

    DKMS gives the keys of all machines one name. A module names its key by the serial number of the certificate,
    /proc/keys by the identifier of the key in the certificate.
    """
    serial = normalize_key_id(host.command("modinfo", "-F", "sig_key", str(host.path(state.file))) or "")
    for file in CERTIFICATES:
        form = ("-inform", "DER", "-noout", "-serial", "-ext", "subjectKeyIdentifier")
        said = host.command("openssl", "x509", "-in", str(host.path(file)), *form)
        numbers = re.search(r"^serial=(\w+)\n.*\s([0-9A-F:]+)$", said or "", re.DOTALL)
        if serial and numbers and normalize_key_id(numbers[1]) == serial:
            return normalize_key_id(numbers[2]) not in keys
    # No certificate here has that serial number: unknown.
    return False


def normalize_key_id(number: str) -> str:
    """Turn pairs of digits with colons into the form of /proc/keys."""
    return number.replace(":", "").lower().lstrip("0")


def rebuild_command(host: Host, state: State) -> str:
    """Return the command that makes DKMS build and sign a module again; autoinstall skips installed modules."""
    which = f"{state.module.name}/{state.installed or 'VERSION'} -k {host.release}"
    return f"dkms build --force {which} && dkms install --force {which}"


def certificate_files(host: Host) -> str:
    """Return the certificates to enrol: both if there are two, because DKMS may sign with either."""
    return " ".join(name for name in CERTIFICATES if host.exists(name)) or CERTIFICATES[-1]


def check_boot_list(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the modules that are loaded at boot are loaded; check_built() reports what DKMS has not built."""
    listed = modules_loaded_at_boot(host)
    for state in states:
        name, directory = state.module.name, state.module.directory
        if directory in listed and not (state.file or state.installed or state.loaded):
            yield Finding(
                PROBLEM,
                "wanted",
                f"{listed[directory]} loads {name} at boot, but {name} is not installed for kernel {host.release}",
                install_command(host, name),
            )
        if directory in listed and state.file and not state.loaded:
            file = listed[directory]
            # Only seqkeep's own file has no other line that somebody may have changed since.
            if file == load_file(state.module) and is_newer_than_boot(host, file):
                remedy = f"seqkeep enable --now {name}  # if that is to be now"
                yield Finding(ADVICE, "wanted", f"{file} loads {name} from the next boot on", remedy)
                continue
            yield Finding(
                PROBLEM,
                "wanted",
                f"{file} loads {name} at boot, but {name} is not loaded",
                f'modprobe {name}  # if that fails, dmesg | grep "{directory}:" says why',
            )


def install_command(host: Host, name: str) -> str:
    """Return how to install a module that is to be loaded at boot, by DKMS or built for the running kernel."""
    if host.exists("/usr/bin/dnf"):
        how = f"dnf install {name}-dkms  # or kmod-seqkeep-{host.release}"
    else:
        how = f"apt install {name}-dkms  # or {name}-modules-{host.release}"
    return f"{how}; if it is not wanted: seqkeep disable {name}"


def is_newer_than_boot(host: Host, file: str) -> bool:
    """Return whether a file has been written since this machine was booted."""
    booted = re.search(r"^btime (\d+)$", host.text("/proc/stat") or "", re.MULTILINE)
    try:
        return booted is not None and host.path(file).stat().st_mtime > int(booted[1])
    except OSError:
        return False


def modules_loaded_at_boot(host: Host) -> dict[str, str]:
    """Return the modules that are loaded at boot, as /sys/module names them, and the file that lists each."""
    files: dict[str, str] = {}
    for place in PLACES:
        for name in host.names(f"{place}/modules-load.d"):
            if name.endswith(".conf"):
                # systemd reads the first of several files of one name.
                files.setdefault(name, f"{place}/modules-load.d/{name}")
    listed: dict[str, str] = {}
    for file in ("/etc/modules", *files.values()):
        for line in (host.text(file) or "").splitlines():
            words = line.split()
            if words and words[0][0] not in "#;":
                listed.setdefault(words[0].replace("-", "_"), file)
    return listed


def is_locked_down(host: Host, name: str) -> bool:
    """Return whether lockdown closes a file, even for root. It leaves tracefs open, which lists the hooks."""
    return lockdown_level(host) != "none" and name.startswith(DEBUGFS)


def lockdown_level(host: Host) -> str:
    found = re.search(r"\[(\w+)\]", host.text("/sys/kernel/security/lockdown") or "")
    return found[1] if found else "none"


def reason_for_signed_only(host: Host) -> str:
    """Return why this kernel loads signed modules only; "" if it loads any module."""
    if host.text("/sys/module/module/parameters/sig_enforce") == "Y":
        return "this kernel loads signed modules only (module.sig_enforce)"
    if lockdown_level(host) != "none":
        return f"this kernel loads signed modules only (lockdown={lockdown_level(host)})"
    return ""


def check_lockdown(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that lockdown does not close debugfs."""
    if lockdown_level(host) != "none":
        yield Finding(
            ADVICE,
            "lockdown",
            f"lockdown={lockdown_level(host)} closes debugfs: the modules work, but their counters cannot be read",
            "none needed; to read the counters, boot without lockdown",
        )


def check_debugfs(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that debugfs, which has the counters of loaded modules, is mounted."""
    if not any(state.loaded for state in states):
        return
    if lockdown_level(host) == "none" and not host.names(DEBUGFS) and DEBUGFS not in host.unread:
        off = "debugfs=off" in (host.text("/proc/cmdline") or "")
        yield Finding(
            ADVICE,
            "debugfs",
            "debugfs is "
            + ("switched off" if off else "not mounted")
            + ": the modules work, but their counters cannot be read",
            "boot without debugfs=off" if off else f"mount -t debugfs none {DEBUGFS}",
        )


def check_tracing(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that ftrace and kprobes, which call all hooks, are switched on."""
    if host.text("/proc/sys/kernel/ftrace_enabled") == "0":
        # On arm64 a probe is a breakpoint; only redirects need ftrace, and the kernel refuses them while it is off.
        if (host.kernel_config(host.release) or {}).get("CONFIG_ARM64") == "y":
            names = [s.module.name for s in present_states(states) if any(hook.exclusive for hook in s.module.hooks)]
            without = f"{' and '.join(names)} cannot be enabled" if names else ""
        else:
            without = "it calls no hooks"
        if without:
            yield Finding(PROBLEM, "tracing", f"ftrace is switched off: {without}", "sysctl kernel.ftrace_enabled=1")
    if host.text(f"{DEBUGFS}/kprobes/enabled") == "0":
        yield Finding(
            PROBLEM, "tracing", "kprobes are switched off: they call no hooks", f"echo 1 > {DEBUGFS}/kprobes/enabled"
        )


def livepatched_functions(host: Host) -> dict[str, str]:
    """Return the functions that livepatches replace, and the livepatch of each."""
    functions = {}
    for patch in host.names("/sys/kernel/livepatch"):
        for object_ in host.names(f"/sys/kernel/livepatch/{patch}"):
            for entry in host.names(f"/sys/kernel/livepatch/{patch}/{object_}"):
                # "FUNCTION,N": the Nth function of that name.
                if "," in entry:
                    functions[entry.split(",")[0]] = patch
    return functions


def check_hooks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that enabled modules have their hooks, and that the functions that others would redirect are free."""
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
                        f'dmesg | grep "{state.module.directory}:"  # says why; then disable and enable the module',
                    )
            elif hook.exclusive and hook.function in patched:
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: livepatch {patched[hook.function]} replaces {hook.function}()",
                    "boot a kernel that has the fix built in, or leave the module disabled",
                )
            elif hook.exclusive and listed is not None and re.search(r"\) R? *I", listed.get(hook.function, "")):
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: something else redirects {hook.function}()",
                    "its line in /sys/kernel/tracing/enabled_functions says what",
                )


def is_required(host: Host, hook: Hook) -> bool:
    """Return whether an enabled module must have a hook: not if the module that defines the function is not loaded."""
    return not hook.optional and (not hook.where or host.exists(f"/sys/module/{hook.where}/initstate"))


def check_enabled(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that loaded modules are enabled, or observe."""
    for state in states:
        if not state.loaded or state.enabled or state.observing:
            continue
        boot = boot_or_none(host, state)
        if boot and boot.waits and not has_listed_disk(host):
            what = f"{state.module.name} is off, because no disk of its list in {FILE} is there"
            yield Finding(ADVICE, "enabled", what, "seqkeep set  # shows the list")
        else:
            yield Finding(
                ADVICE,
                "enabled",
                f"{state.module.name} is loaded and disabled: it does nothing",
                f"seqkeep enable --now {state.module.name}  # or unload it: rmmod {state.module.name}",
            )


def check_own_files(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the files of seqkeep enable and set are whole."""
    for state in states:
        name = state.module.name
        try:
            read_boot(host, state.module)
            loads, options = (read_own(host, file(state.module)) for file in (load_file, options_file))
        except SeqkeepError as error:
            yield Finding(ADVICE, "files", str(error), f"seqkeep enable {name}  # or disable, after that")
            continue
        if loads is not None and options is None:
            what = f"seqkeep enable {name} was interrupted: {name} is loaded at boot, and stays off"
            yield Finding(ADVICE, "files", what, f"seqkeep enable {name}  # or disable")
        if options is not None and loads is None:
            what = f"{load_file(state.module)} is missing: {name} is not loaded at boot, but its options are set"
            yield Finding(ADVICE, "files", what, f"seqkeep enable {name}  # or disable")
    try:
        read_settings(host)
    except SeqkeepError as error:
        yield Finding(PROBLEM, "files", f"no setting of a device is applied: {error}", f"correct {FILE}")
