"""The files of the repository, as all style checks see them."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}
SCRIPTS = {".py", ".sh", ".cmake"}
SKIPPED = 77  # exit code by which CTest knows a test that could not run


def files(root=ROOT):
    """Paths relative to root: what git knows or would add; without git everything outside build/ and out/."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (root / ".git").exists():
        listing = subprocess.run(command, capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            names = set(filter(None, listing.stdout.split("\0")))
            return sorted(pathlib.PurePosixPath(name) for name in names if (root / name).is_file())
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in {".git", "build", "out", "__pycache__", ".venv"}]
        found += [pathlib.Path(folder, name).relative_to(root) for name in names]
    return sorted(pathlib.PurePosixPath(path) for path in found)


def code(root=ROOT):
    return [path for path in files(root) if path.suffix in CODE]


def without_comments(text):
    """C++ text with comments, string and character literals blanked; line numbers stay."""

    def blank(match):
        return "".join("\n" if letter == "\n" else " " for letter in match.group())

    # Digit separators look like character literals.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "_", text)
    literal = r'R"(\w*)\((?s:.)*?\)\1"|//[^\n]*|/\*(?s:.)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(literal, blank, text)
