#!/usr/bin/env python3
"""catalogue.py and man.py find planted faults. Usage: checks_test.py"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import catalogue  # noqa: E402
import man  # noqa: E402

ENTRY = 'msgid "{1}: not here"\nmsgstr "{1}: здесь нет"\n'
PLURAL = 'msgid "{1} file"\nmsgid_plural "{1} files"\n' + "".join(f'msgstr[{i}] "{{1}} файл"\n' for i in range(3))
PAGE = """.Dd November 1, 2026
.Sh NAME
.Nm vershina
.Nd a program of the tests
.Sh DESCRIPTION
This program reads one file.
.Bl -tag
.It Fl k Ar file , Fl -key Ar file
A file, or
.Ql - ;
see
.Xr vershina 1 .
.El
.Bd -literal
vershina -k key
.Ed
"""
RUSSIAN = PAGE.replace("NAME", "ИМЯ").replace("DESCRIPTION", "ОПИСАНИЕ")
RUSSIAN = RUSSIAN.replace("This program reads one file.", "Читает файл.")
RUSSIAN = RUSSIAN.replace("A file, or", "Файл или").replace("Ar file", "Ar файл").replace("\nsee", "\nсм.")


def catalogue_faults(source, translated):
    faults = []
    catalogue.compare(catalogue.parse(source)[0], catalogue.parse(translated)[0], faults.append)
    return faults


def man_faults(russian):
    faults, pages = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate((PAGE, russian)):
            path = os.path.join(folder, str(number))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            pages.append(man.Page(path))
    man.compare(*pages, faults.append)
    return faults


class Catalogue(unittest.TestCase):
    def test_accepts(self):
        self.assertEqual(catalogue_faults(ENTRY + PLURAL, ENTRY + PLURAL), [])

    def test_finds(self):
        for source, translated, what in (
            (ENTRY, "", "not translated"),
            ("", ENTRY, "obsolete"),
            (ENTRY, ENTRY.replace("{1}: здесь", "здесь"), "placeholders"),
            (ENTRY, ENTRY.replace("{1}: здесь", "{2}: здесь"), "placeholders"),
            (ENTRY, "#, fuzzy\n" + ENTRY, "fuzzy"),
            (ENTRY, ENTRY.replace("здесь нет", "not here"), "not Russian"),
            (PLURAL, PLURAL.replace("msgid_plural", "#").rsplit("msgstr", 2)[0], "1 forms"),
            (PLURAL, PLURAL.replace('msgstr[1] "{1}', 'msgstr[1] "'), "placeholders"),
            (ENTRY, ENTRY.replace("нет", r"нет\n"), "another end"),
        ):
            faults = catalogue_faults(source, translated)
            self.assertEqual(len(faults), 1, (translated, faults))
            self.assertIn(what, faults[0])


    def test_finds_what_is_not_translated(self):
        for source, words in (
            ('print_done(tr("{1} written", name));', []),
            ('print_done(name + " written");', [" written"]),
            ('throw Failure(ExitCode::usage, tr("--label {1}: "\n  "it has {2}", bytes_of(f(label))), "shorten it");',
             ["shorten it"]),
            ('return {Failure{code, tr_count(f(num), "{1} file", "{1} files") + name(")")}, "not said"};', []),
            ('fail(")"); print_error(quoted ? "\\"a\\" is" : "no");', ['\\"a\\" is']),
            ('// print_note("of old")\n', []),
        ):
            self.assertEqual([each[1] for each in catalogue.untranslated(source)], words, source)


class Man(unittest.TestCase):
    def test_accepts(self):
        self.assertEqual(man_faults(RUSSIAN), [])

    def test_finds(self):
        for old, new, what in (
            ("November 1,", "November 2,", "date"),
            ("ОПИСАНИЕ", "ФАЙЛЫ", "in the place"),
            (".Sh ОПИСАНИЕ\n", "", "sections"),
            ("Fl -key", "Fl -keys", "Fl -key"),
            (".Xr vershina 1", ".Xr vershina-hash 1", "Xr vershina"),
            (".Ql - ;\n", "", "Ql -"),
            ("vershina -k key", "vershina -k k", "examples"),
            ("Читает файл.", "This program reads one file.", "not translated"),
        ):
            faults = man_faults(RUSSIAN.replace(old, new))
            self.assertTrue(faults, old)
            self.assertTrue(any(what in fault for fault in faults), (old, faults))


if __name__ == "__main__":
    unittest.main()
