#!/usr/bin/env python3
"""Makes the site of the documentation with mkdocs (Debian: mkdocs), strictly: a link that leads nowhere is an error.

    packaging/site/make_site.py [FOLDER]      FOLDER/site/index.html; by default build/site

mkdocs takes pages from one folder, while those here lie in the root of the repository and in docs/ and link to sources
and decks as well: pages, pictures and all that is linked are copied beside each other as they lie.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^()\s#]+)")


def pages() -> list[pathlib.Path]:
    """The pages, relative to the root."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path.relative_to(ROOT) for path in found)


def linked(page: pathlib.Path) -> set[pathlib.Path]:
    """Files to which a page links, relative to the root; of folders nothing is copied."""
    targets = set()
    for target in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        if re.match(r"\w+:", target):
            continue
        path = (ROOT / page.parent / target).resolve()
        if path.is_file() and path.is_relative_to(ROOT):
            targets.add(path.relative_to(ROOT))
    return targets


def make(folder: pathlib.Path) -> None:
    """Copies the pages to FOLDER/pages and makes FOLDER/site from them."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in set(pages()).union(*map(linked, pages())):
        copy = folder / "pages" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
    shutil.copyfile(pathlib.Path(__file__).with_name("mkdocs.yml"), folder / "mkdocs.yml")
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", str(folder / "mkdocs.yml")], check=True)


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    try:
        make(where)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    print(where / "site/index.html")
