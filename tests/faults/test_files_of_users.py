"""Files of users in the directory of a run: nothing of theirs is replaced or removed."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import BOX, RunCase  # noqa: E402  pylint: disable=wrong-import-position


class FilesOfUsers(RunCase):
    def setUp(self):
        super().setUp()
        self.write("deck.yaml", BOX)

    def user_files(self):
        """Names and contents of all files but those of a run."""
        found = {}
        for path in sorted(self.folder.glob("**/*")):
            if path.name != "deck.yaml" and (path.is_symlink() or path.is_file()):
                found[str(path.relative_to(self.folder))] = os.readlink(path) if path.is_symlink() else path.read_bytes()
        return found

    def in_the_way(self, name, *more, deck="deck.yaml"):
        """The run is refused with the name, and nothing has changed."""
        before = self.user_files()
        done = self.run_program("run", deck, *more, expect=4)
        self.assertIn(f"box/{name} is in the way", done.stderr)
        self.assertIn("nothing was computed", done.stderr)
        self.assertEqual(self.user_files(), before)

    def test_files_of_users_are_in_the_way(self):
        self.write("pictures.yaml", BOX.replace("every: 0.01", "every: 0.01, images: {every: 0.01}"))
        for name in ("report.json", "run.log", "fields_0000.vtkhdf", "fields.xdmf", "checkpoint_0001.h5", "run.files",
                     "run.lock", "report.json.tmp", "images/a.csv"):
            with self.subTest(name):
                (self.folder / "box/images").mkdir(parents=True, exist_ok=True)
                (self.folder / "box" / name).write_text("mine", encoding="utf-8")
                more = [["--overwrite"], ["--restart", "auto"], []][len(name) % 3]
                self.in_the_way(name, *more, deck="pictures.yaml")
                (self.folder / "box" / name).unlink()

    def test_links_are_in_the_way(self):
        self.write("pictures.yaml", BOX.replace("every: 0.01", "every: 0.01, images: {every: 0.01}"))
        (self.folder / "mine").mkdir()
        (self.folder / "mine/a_0001.png").write_text("mine", encoding="utf-8")
        for name, target in (("run.log", "../mine/a_0001.png"), ("fields_0001.vtkhdf.tmp", "../mine/a_0001.png"),
                             ("run.log", "../mine/none"), ("images", "../mine")):
            with self.subTest(name=name, target=target):
                (self.folder / "box").mkdir(exist_ok=True)
                (self.folder / "box" / name).symlink_to(target)
                self.in_the_way(name, deck="pictures.yaml")
                (self.folder / "box" / name).unlink()
        (self.folder / "box/run.lock").symlink_to("../mine/none")
        self.run_program("run", "deck.yaml", expect=4)
        self.assertFalse((self.folder / "mine/none").exists())

    def test_files_of_users_beside_those_of_a_run_stay(self):
        deck = BOX.replace("every: 0.01", "every: 0.01, images: {every: 0.01}") + "checkpoint: {at_end: false}\n"
        self.write("pictures.yaml", deck)
        self.run_program("run", "pictures.yaml")
        mine = ("images/data.csv", "images/photo_0001.png", "study.csv", "plot_mine.png", "report.html")
        for name in mine:
            (self.folder / "box" / name).write_text("mine", encoding="utf-8")
        (self.folder / "link").symlink_to("box")
        for more in (["--overwrite"], ["--overwrite", "--set", "output.directory=link"]):
            self.run_program("run", "pictures.yaml", *more)
            for name in mine:
                self.assertEqual((self.folder / "box" / name).read_text(encoding="utf-8"), "mine", name)
        self.assertIn("box/report.html is in the way", self.run_program("report", "box", expect=4).stderr)
        # Names of a run that it did not write.
        for name in ("fields_0099.vtkhdf", "images/a_0099.png", "checkpoint_0007.h5"):
            with self.subTest(name):
                (self.folder / "box" / name).write_text("mine", encoding="utf-8")
                self.in_the_way(name, "--overwrite", deck="pictures.yaml")
                (self.folder / "box" / name).unlink()

    def test_a_killed_run_knows_its_files(self):
        self.write("deck.yaml", BOX)
        job = self.start("run", "deck.yaml", "--set", "stepper.pause=0.05", "--set", "stepper.end=100")
        self.wait_for((self.folder / "box/fields_0001.vtkhdf").exists)
        job.kill()
        job.communicate()
        (self.folder / "box/notes.txt").write_text("mine", encoding="utf-8")
        self.run_program("run", "deck.yaml", "--overwrite")
        self.assertIn("notes.txt", self.names("box"))
        self.assertEqual(len([name for name in self.names("box") if name.startswith("fields_")]), 3)

    def test_a_monitor_of_something_else(self):
        for name, text in (("notes.txt", "mine"), ("package.json", '{"name": "mine"}\n')):
            self.write(name, text)
            self.assertIn(f"{name}: holds something else",
                          self.run_program("run", "deck.yaml", "--monitor", name, expect=4).stderr)
            self.assertEqual((self.folder / name).read_text(encoding="utf-8"), text)

    def test_runs_of_users_beside_the_cases_of_a_sweep(self):
        """Runs too are files of users where no sweep has made them, and what a link names is not of the sweep."""
        sweep = ("sweep", "deck.yaml", "--over", "stepper.cells=10,12")
        self.run_program(*sweep)
        for directory in ("box_sweep/case_reference", "box_sweep/case_00007", "mine"):
            self.run_program("run", "deck.yaml", "--set", f"output.directory={directory}")
        before = {name: self.bits(name) for name in ("box_sweep/case_reference", "box_sweep/case_00007", "mine")}
        self.run_program(*sweep, "--overwrite")
        (self.folder / "box_sweep/case_0003").symlink_to("../mine")
        self.assertIn("box_sweep/case_0003 is in the way: it is a link",
                      self.run_program(*sweep, "--overwrite", expect=4).stderr)
        self.assertEqual({name: self.bits(name) for name in before}, before)

    def test_a_run_of_users_with_the_name_of_a_case(self):
        """Cases are known by their manifest, so a run that a user has put beside them stays, also where a larger sweep wants
        its place; a case that was continued by itself stays one."""
        sweep = ("sweep", "deck.yaml", "--overwrite", "--over")
        self.run_program(*sweep, "stepper.cells=10,12,14")
        self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "stepper.cells=14", "--set", "stepper.end=0.04",
                         "--set", "output.directory=box_sweep/case_0003")
        self.run_program("run", "deck.yaml", "--set", "output.directory=box_sweep/case_0004")
        before = self.bits("box_sweep/case_0004")
        self.run_program(*sweep, "stepper.cells=10,12")
        self.assertFalse((self.folder / "box_sweep/case_0003").exists())
        self.assertIn("box_sweep/case_0004 is in the way: it is a run that no sweep has made",
                      self.run_program(*sweep, "stepper.cells=10,12,14,16", expect=4).stderr)
        self.assertEqual(self.bits("box_sweep/case_0004"), before)
        self.assertTrue((self.folder / "box_sweep/case_0002/report.json").exists(), "the sweep was touched")

    def test_a_run_of_an_older_version(self):
        self.run_program("run", "deck.yaml")
        (self.folder / "box/run.files").unlink()
        self.assertIn("box has no run.files, by which halocline knows the files that it may replace",
                      self.run_program("run", "deck.yaml", "--overwrite", expect=4).stderr)


if __name__ == "__main__":
    unittest.main()
