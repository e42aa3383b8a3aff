"""Documentation: links lead to files and headings, paths in backticks exist, quoted code occurs in its source.

    check_docs.py [ROOT]      exit code 1 and one line per fault, or 0

Code is quoted by a block that follows a line with the source alone: <!-- lib/base/view.hpp -->
"""

import pathlib
import re
import sys

import repository

LINK = re.compile(r"\[[^][]*\]\(([^()\s]+)\)")
QUOTED_PATH = re.compile(r"`(\.?[\w-]+/[\w./*-]*)`")
PLACEHOLDER = re.compile(r"NAME")
SOURCE = re.compile(r"<!-- (\S+) -->\s*")


def heading_anchor(heading):
    """The anchor that GitHub gives to a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return kept.replace(" ", "-")


def anchors(text):
    return {heading_anchor(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")}


def outside_code(text):
    """(number, line) of all lines that are no code block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def link_fault(root, path, target):
    """Why a link of `path` leads nowhere, or None."""
    if re.match(r"\w+:", target):
        return None
    name, _, anchor = target.partition("#")
    file = root / path.parent / name if name else root / path
    if not file.exists():
        return "leads to no file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
        return "leads to no heading"
    return None


def path_fault(root, known, name):
    """Why a path in backticks is wrong, or None. Only paths below the folders of the repository are judged."""
    if name.split("/")[0] not in known or PLACEHOLDER.search(name):
        return None
    return None if any(root.glob(name.rstrip("/"))) else "does not exist"


def code_faults(root, path, text):
    """Quoted blocks whose lines do not follow one another in their source."""
    faults, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        match = SOURCE.fullmatch(line)
        if not match or not lines[number].startswith("```"):
            continue
        block = lines[number + 1:lines.index("```", number + 1)]
        source = root / match.group(1)
        if not source.exists():
            faults.append(f"{path}:{number}: {match.group(1)} does not exist")
        elif "\n".join(block) + "\n" not in source.read_text(encoding="utf-8"):
            faults.append(f"{path}:{number}: the code is not in {match.group(1)}")
    return faults


def check(root):
    """All faults under root, one line each."""
    files = repository.files(root)
    known = {path.parts[0] for path in files if len(path.parts) > 1}
    faults = []
    for path in (path for path in files if path.suffix == ".md"):
        text = (root / path).read_text(encoding="utf-8")
        for number, line in outside_code(text):
            found = [(target, link_fault(root, path, target)) for target in LINK.findall(line)]
            found += [(name, path_fault(root, known, name)) for name in QUOTED_PATH.findall(line)]
            faults += [f"{path}:{number}: {what} {why}" for what, why in found if why]
        faults += code_faults(root, path, text)
    return faults


if __name__ == "__main__":
    breaches = check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else repository.ROOT)
    print("\n".join(breaches) or "links, paths and quoted code are as they should be")
    sys.exit(1 if breaches else 0)
