"""Sizes of files and functions, exit() outside main, unfinished notes, paths of one machine.

    check_sources.py [ROOT]      exit code 1 and one line per fault, or 0
"""

import pathlib
import re
import sys

import repository

FILE_LINES = 400
FUNCTION_LINES = 60
BODY_LINES = 120  # kernel bodies may be longer
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")
# Absolute paths under which someone works; those of the system (/usr, /dev, /proc) are fine.
MACHINE_PATH = re.compile(r"(?<![\w.$}~)/*-])/(?:work|tmp|root|home|Users|scratch)/\w")
EXIT = re.compile(r"(?<![\w.>])(?:std::)?_?(?:quick_)?exit\s*\(")
TEXT = repository.CODE | repository.SCRIPTS | {".md", ".txt", ".yaml", ".yml", ".json", ".in", ".supp", ""}
# What opens a brace without being a function.
CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|concept)\b[^()]*$|\bextern\s*$|=\s*$")


def functions(text):
    """(first line, number of lines) of every function definition, by braces: those opened after a parenthesis outside
    any other function."""
    found, stack, begin, line, start = [], [], 0, 1, 1
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda match: "\n" * match.group().count("\n"),
                  repository.without_comments(text), flags=re.MULTILINE)
    for position, letter in enumerate(text):
        if letter == "\n":
            line += 1
        elif letter == "{":
            head = text[begin:position].strip()
            outer = all(kind == "container" for kind, _ in stack)
            if outer and "(" in head and not CONTAINER.search(head):
                stack.append(("function", line - text[begin:position].lstrip().count("\n")))
            else:
                stack.append(("container" if outer and CONTAINER.search(head) else "other", start))
        elif letter == "}" and stack:
            kind, start = stack.pop()
            if kind == "function":
                found.append((start, line - start + 1))
        if letter in "{};":
            begin = position + 1
    return found


def check_lines(path, lines):
    faults = []
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            faults.append(f"{path}:{number}: unfinished: {line.strip()}")
        if MACHINE_PATH.search(line):
            faults.append(f"{path}:{number}: absolute path: {line.strip()}")
    return faults


def check_code(path, text):
    limit = BODY_LINES if path.suffix in {".cu", ".cuh"} or path.name.endswith("kernels.hpp") else FUNCTION_LINES
    faults = [f"{path}:{first}: function of {count} lines, {limit} at most"
              for first, count in functions(text) if count > limit]
    if path.parts[0] != "tests" and str(path) != "app/main.cpp":
        bare = repository.without_comments(text).splitlines()
        faults += [f"{path}:{number}: exit() outside main: throw an Error"
                   for number, line in enumerate(bare, 1) if EXIT.search(line)]
    return faults


def check(root):
    """All faults under root, one line each."""
    faults = []
    for path in repository.files(root):
        if path.suffix not in TEXT:
            continue
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            faults.append(f"{path}: is no UTF-8 text")
            continue
        lines = text.splitlines()
        faults += check_lines(path, lines)
        if path.suffix in repository.CODE | repository.SCRIPTS and len(lines) > FILE_LINES:
            faults.append(f"{path}: {len(lines)} lines, {FILE_LINES} at most")
        if path.suffix in repository.CODE:
            faults += check_code(path, text)
    return faults


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else repository.ROOT)
    print("\n".join(found) or "sizes, exits, notes and paths are as agreed")
    sys.exit(1 if found else 0)
