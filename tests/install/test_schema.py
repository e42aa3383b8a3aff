"""The schema for editors: kept as the program prints it, named by every deck, and true of all of them."""

import json
import pathlib
import unittest

from runs import INPUTS, PROGRAM, RunCase

SCHEMA = INPUTS / "halocline.schema.json"
MODELINE = "# yaml-language-server: $schema="


class Schema(RunCase):
    def test_kept_as_printed(self):
        printed = self.run_program("schema", program=PROGRAM).stdout
        self.assertTrue(printed == SCHEMA.read_text(encoding="utf-8"),
                        "keys have changed; renew it: halocline schema > inputs/halocline.schema.json")

    def test_every_deck_names_it(self):
        for deck in INPUTS.glob("*/*.yaml"):
            with self.subTest(deck=deck.name):
                first = deck.read_text(encoding="utf-8").partition("\n")[0]
                self.assertTrue(first.startswith(MODELINE))
                self.assertEqual((deck.parent / first[len(MODELINE):]).resolve(), pathlib.Path(SCHEMA).resolve())

    def test_decks(self):
        try:
            import jsonschema
            import yaml
        except ImportError:
            self.skipTest("no jsonschema, or no yaml")
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for file in sorted(INPUTS.glob("*/*.yaml")):
            deck = yaml.safe_load(file.read_text(encoding="utf-8"))
            with self.subTest(deck=file.name):
                self.assertEqual([f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(deck)], [])
            deck[deck["problem"]]["misspelled"] = 1
            self.assertFalse(validator.is_valid(deck), file)
        self.assertFalse(validator.is_valid({"problem": "nothing"}))
        self.assertFalse(validator.is_valid({"problem": "sparse", "collocation": {}}))


if __name__ == "__main__":
    unittest.main()
