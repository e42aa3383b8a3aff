"""The documentation as a site, made strictly by mkdocs; its pages hold what they should."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SKIPPED = 77


class Site(unittest.TestCase):
    def test_site(self):
        with tempfile.TemporaryDirectory(prefix="halocline-site-") as name:
            done = subprocess.run([sys.executable, str(ROOT / "packaging/site/make_site.py"), name], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            site = pathlib.Path(name) / "site"
            for page in (ROOT / "docs").glob("*.md"):
                self.assertTrue((site / "docs" / page.with_suffix(".html").name).is_file(), page)
            self.assertIn("halocline solves a problem", (site / "index.html").read_text(encoding="utf-8"))
            decks = (site / "docs/decks.html").read_text(encoding="utf-8")
            self.assertIn("<table>", decks)
            self.assertIn('id="formulas-and-numbers"', decks)
            self.assertTrue((site / "docs/images/collocation.png").is_file())


if __name__ == "__main__":
    if shutil.which("mkdocs") is None:
        print("not installed: mkdocs")
        sys.exit(SKIPPED)
    unittest.main()
