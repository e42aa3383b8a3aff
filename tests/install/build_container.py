#!/usr/bin/env python3
"""Builds packaging/Dockerfile where there is no Docker: its steps, as they stand there, in folders with a Debian of their own,
and then uses the image as a user would. By hand, as root, with debootstrap, some GB and minutes:

    tests/install/build_container.py [--ccache DIR] [--keep] [FOLDER]

FOLDER (default: one in /var/tmp) is removed at the end unless --keep is given; kept, its Debian and packages serve the next
time. DIR is the compile cache to use. What happens in a step ends with it: it has mounts and processes of its own.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = {"debian:12": "bookworm"}
MIRROR = "http://deb.debian.org/debian"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# As in a container: what is mounted here is gone when the command ends.
ENTER = """
set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
mount --bind /etc/resolv.conf "$1/etc/resolv.conf"
root=$1 user=$2; shift 2
while [ "$1" != -- ]; do mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2; done
shift
exec chroot --userspec="$user" "$root" env -i "$@"
"""


def step(text):
    print(f"==== {text}", flush=True)


class Stage:
    """The folder of one FROM, and what the lines after it have set."""

    def __init__(self, root):
        self.root, self.environment, self.user, self.folder, self.entry = root, {"PATH": PATH}, "root", "/", []

    def run(self, command, mounts, user=None):
        user = user or self.user
        homes = {line.split(":")[0]: line.split(":")[5] for line in (self.root / "etc/passwd").read_text().splitlines()}
        settings = {"HOME": homes.get(user, "/"), **self.environment}
        where = ["sh", "-c", 'cd "$0" && exec "$@"', self.folder, *command]
        subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter", str(self.root), user,
                        *(word for pair in mounts.items() for word in pair), "--",
                        *(f"{name}={value}" for name, value in settings.items()), *where], check=True)


class Builder:
    def __init__(self, work, arguments, ccache):
        self.work, self.arguments, self.stages, self.stage = work, arguments, {}, None
        (work / "archives").mkdir(exist_ok=True)
        self.mounts = {str(work / "archives"): "/var/cache/apt/archives"}
        self.settings = []
        if ccache:
            self.mounts[str(pathlib.Path(ccache).resolve())] = "/root/.cache/ccache"
            # Objects of another folder and of the caller's locale serve; the cache is that of others, who limit it.
            locale = [f"{name}={value}" for name, value in os.environ.items() if re.match("LANG$|LC_", name)]
            self.settings = ["env", "CCACHE_BASEDIR=/source", "CCACHE_NOHASHDIR=1", "CCACHE_MAXSIZE=0", *locale]

    def base(self, image):
        """A folder like the official image of that name."""
        suite, folder = SUITES[image], self.work / SUITES[image]
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run(["debootstrap", "--variant=minbase", suite, str(folder), MIRROR], check=True)
            (folder / "etc/apt/sources.list").write_text(
                f"deb {MIRROR} {suite} main\ndeb {MIRROR} {suite}-updates main\n"
                f"deb {MIRROR}-security {suite}-security main\n", encoding="utf-8")
            (folder / "complete").touch()
        return folder

    def do(self, word, rest):
        """One instruction; those that the Dockerfile does not use are unknown."""
        getattr(self, f"do_{word.lower()}")(rest)

    def do_from(self, rest):
        image, _, name = rest.partition(" AS ")
        root = self.work / f"stage_{len(self.stages)}"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", str(self.base(image)), str(root)], check=True)
        self.stage = self.stages[name or str(len(self.stages))] = Stage(root)

    def do_run(self, rest):
        self.stage.run([*self.settings, "/bin/sh", "-c", rest], self.mounts)

    def do_copy(self, rest):
        words = shlex.split(rest)
        target = self.stage.root / words[-1].lstrip("/")
        if words[0].startswith("--from="):
            sources = list((self.stages[words.pop(0)[7:]].root / words[0].lstrip("/")).iterdir())
        else:
            ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())
            sources = [path for path in (ROOT / words[0]).iterdir() if path.name not in ignored]
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", *map(str, sources), f"{target}/"], check=True)
        subprocess.run(["chown", "-R", "0:0", str(target)], check=True)

    def do_arg(self, rest):
        name, _, value = rest.partition("=")
        self.stage.environment[name] = self.arguments.get(name, value)

    def do_env(self, rest):
        self.stage.environment.update(word.split("=", 1) for word in shlex.split(rest))

    def do_user(self, rest):
        self.stage.user = rest

    def do_workdir(self, rest):
        self.stage.folder = rest
        (self.stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def do_entrypoint(self, rest):
        self.stage.entry = json.loads(rest)


def instructions(text):
    """Word and rest of each instruction, lines joined, comments gone."""
    lines = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")).replace("\\\n", " ")
    return [line.split(None, 1) for line in lines.splitlines() if line.strip()]


def first_deck():
    """The first deck of the README."""
    return re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)


def use(stage, work):
    """What users do with the image: as the user of the image, and as somebody whom the image does not know."""
    for user in (stage.user, "12345:12345"):
        step(f"use the image as {user}")
        data = work / "data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        data.chmod(0o777)  # as a folder that belongs to the user
        (data / "small.yaml").write_text(first_deck(), encoding="utf-8")
        mounts = {str(data): "/data"}
        stage.run([*stage.entry, "--version"], mounts, user)
        stage.run([*stage.entry, "run", "small.yaml"], mounts, user)
        stage.run(["mpirun", "-n", "2", *stage.entry, "run", "small.yaml", "--overwrite"], mounts, user)
        report = json.loads((data / "out/small/report.json").read_text(encoding="utf-8"))
        assert report["exit_code"] == 0 and report["ranks"] == 2, report
        # Its formulas are compiled.
        stage.run([*stage.entry, "run", "/usr/local/share/halocline/inputs/ode_ensemble/noise.yaml", "--set",
                   "ode_ensemble.evaluation=compiled"], mounts, user)


def scripts_of_apptainer(stage, work):
    """%test and %runscript of the recipe for Apptainer, which begins from the image."""
    sections = dict(re.findall(r"^%(\w+)[^\n]*\n(.*?)(?=^%|\Z)", (ROOT / "packaging/halocline.def").read_text(encoding="utf-8"),
                               re.MULTILINE | re.DOTALL))
    step("%test and %runscript of packaging/halocline.def")
    stage.run(["sh", "-ec", sections["test"]], {str(work / "data"): "/data"})
    stage.run(["sh", "-ec", sections["runscript"], "runscript", "list"], {str(work / "data"): "/data"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--ccache")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    missing = [name for name in ("debootstrap", "unshare", "chroot") if shutil.which(name) is None]
    if os.geteuid() != 0 or missing:
        sys.exit(f"needs root and debootstrap; missing: {', '.join(missing) or 'root'}")
    work = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="halocline-container-", dir="/var/tmp")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    work.chmod(0o755)
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # subprocess.run() ends what it has started
    builder = Builder(work, {"COMMIT": commit.stdout.strip()}, options.ccache)
    try:
        for word, rest in instructions((ROOT / "packaging/Dockerfile").read_text(encoding="utf-8")):
            step(f"{word} {rest}")
            builder.do(word, rest)
        use(builder.stage, work)
        scripts_of_apptainer(builder.stage, work)
        step("the image was built and works")
    finally:
        if not options.keep:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
