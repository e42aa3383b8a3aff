"""C++ files as clang-format 14 would write them; shell scripts without findings of shellcheck.

    check_format.py cxx|shell      exit code 1 and the findings, 0, or 77 where the tool is not installed
"""

import shutil
import subprocess
import sys

import repository


def tool(*names):
    return next((name for name in names if shutil.which(name)), None)


def cxx():
    """The command that judges C++ files, or None without clang-format 14: other versions break lines differently."""
    name = tool("clang-format-14", "clang-format")
    if name is None or " version 14." not in subprocess.run([name, "--version"], capture_output=True, text=True).stdout:
        return None
    return [name, "--dry-run", "--Werror"] + [str(path) for path in repository.code()]


def shell():
    name = tool("shellcheck")

    def is_shell(path):
        if path.suffix in {".sh", ""}:
            first = (repository.ROOT / path).open("rb").readline()
            return first.startswith((b"#!/usr/bin/env bash", b"#!/bin/sh", b"# shellcheck"))
        return False

    return name and [name, "-x", "-P", "SCRIPTDIR"] + [str(path) for path in repository.files() if is_shell(path)]


if __name__ == "__main__":
    command = {"cxx": cxx, "shell": shell}[sys.argv[1]]()
    if command is None:
        print("skipped: clang-format 14 or shellcheck is not installed")
        sys.exit(repository.SKIPPED)
    sys.exit(1 if subprocess.run(command, cwd=repository.ROOT, check=False).returncode else 0)
