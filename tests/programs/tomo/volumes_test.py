"""Volumes that `compare`, `view` and `segment` open: what this program writes and what other programs write."""
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import urllib.request

import support
from support import PROGRAM, numpy


class Volumes(support.Case):
    def setUp(self):
        super().setUp()
        generator = numpy.random.default_rng(2)
        self.integers = generator.integers(-1000, 2000, (5, 6, 7)).astype(numpy.int16)
        self.floats = generator.normal(size=(5, 6, 7)).astype(numpy.float32)

    def difference(self, name, expected):
        """The greatest difference, as `compare` finds it."""
        numpy.save(self.path("expected-of-test.npy"), expected.astype(numpy.float32))
        return json.loads(self.tomo("compare", "--json", name, "expected-of-test.npy"))["greatest"]

    def damage(self, name, rounds=60, folder=None):
        """Cut short or changed, the file is read or refused with a line; there is no crash and no hang."""
        whole, generator = self.get(name), random.Random(7)
        for round_ in range(rounds):
            content = bytearray(whole)
            if round_ % 3 == 0:
                content = content[:generator.randrange(len(whole))]
            for _ in range(round_ % 3):
                content[generator.randrange(min(len(content), 2048))] = generator.randrange(256)
            self.put(name, content)
            done = subprocess.run([PROGRAM, "tomo", "compare", folder or name, folder or name], cwd=self.folder,
                                  capture_output=True, text=True, check=False, timeout=60, errors="replace")
            self.assertIn(done.returncode, (0, 1, 3, 70), f"{name}, round {round_}: {done.stderr}")
            self.assertNotIn("internal error", done.stderr)
        self.put(name, whole)

    def refused_volume(self, text, name):
        self.refused(text, "compare", name, name, status=3)

    # ---- what `reconstruct` writes

    def test_own(self):
        """Every format that `reconstruct` writes is one that `compare` and `view` read."""
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 40, "--rows", 19, "--projections", 30,
                     "--pixel", 0.25)
        expected = self.volume("scan.h5")
        for name, *words in (("v.h5",), ("v.npy",), ("v.tif",), ("v.nii",), ("v.zarr",),
                             ("w.zarr", "--format", "ome-zarr-0.4"), ("t", "--format", "tiff")):
            self.tomo("reconstruct", "-q", "scan.h5", *words, "-o", name)
            with self.subTest(name):
                self.assertEqual(self.difference(name, expected), 0)
        for name, *words in (("d", "--format", "dicom"), ("p", "--format", "png", "--window=-0.5:1.5"),
                             ("w.tif", "--format", "tiff16", "--window=-0.5:1.5")):
            self.tomo("reconstruct", "-q", "scan.h5", *words, "-o", name)
            with self.subTest(name):  # 16 bits: DICOM says what they mean, the others do not
                scaled = expected if name == "d" else numpy.clip((expected + 0.5) / 2, 0, 1) * 65535
                step = (expected.max() - expected.min()) * 1.5 / 65535 if name == "d" else 1.01
                self.assertLess(self.difference(name, scaled), step)
        self.tomo("reconstruct", "-q", "scan.h5", "--format", "dicom", "--hounsfield", 0.2, "-o", "h")
        self.assertLess(self.difference("h", numpy.clip(5000 * (expected - 0.2), -1024, None)), 0.51)
        # A chunk wider than one of 128 x 128 x 16.
        self.phantom("wide.h5", "--size", 300, "--rows", 18, "--projections", 8)
        self.tomo("reconstruct", "-q", "wide.h5", "-o", "wide.zarr")
        self.assertEqual(self.difference("wide.zarr", self.volume("wide.h5")), 0)

    def test_view(self):
        self.phantom("scan.h5", "--size", 32, "--rows", 3, "--pixel", 0.25)
        for name, unit, *words in (("d", "HU", "--format", "dicom", "--hounsfield", 0.2),
                                   ("v.nii", "1/mm", "--per", "mm"), ("v.zarr", "1/mm", "--per", "mm")):
            self.tomo("reconstruct", "-q", "scan.h5", *words, "-o", name)
            self.tomo("reconstruct", "-q", "scan.h5", *words[-2:], "-f", "-o", "same.npy")
            viewer = subprocess.Popen([PROGRAM, "tomo", "view", "-q", name], cwd=self.folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                address = viewer.stdout.readline().strip()
                if not address:
                    self.assertIn("built without libmicrohttpd", viewer.stderr.read())
                    self.skipTest("needs libmicrohttpd-dev")
                with urllib.request.urlopen(address + "info") as reply:
                    self.assertEqual(json.load(reply)["arrays"][0]["unit"], unit)
                with urllib.request.urlopen(address + "plane/0/0/1") as reply:
                    plane = numpy.frombuffer(reply.read(), "<f4").reshape(32, 32)
                same = numpy.load(self.path("same.npy"))[1]
                if unit == "HU":
                    numpy.testing.assert_allclose(plane, same.clip(-1024), atol=0.51)
                else:
                    numpy.testing.assert_array_equal(plane, same)
            finally:
                viewer.terminate()
                viewer.communicate()

    # ---- DICOM

    def write_series(self, folder, values, implicit=False, suffix="", **changes):
        pydicom = support.module("pydicom")
        from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
        from pydicom.sequence import Sequence
        os.makedirs(self.path(folder), exist_ok=True)
        uid = pydicom.uid.generate_uid()
        for i, slice_ in enumerate(values):
            meta = FileMetaDataset()
            meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
            meta.MediaStorageSOPInstanceUID = pydicom.uid.generate_uid()
            uids = pydicom.uid
            meta.TransferSyntaxUID = uids.ImplicitVRLittleEndian if implicit else uids.ExplicitVRLittleEndian
            data = FileDataset("x", {}, file_meta=meta, preamble=bytes(128))
            data.is_implicit_VR, data.is_little_endian = implicit, True
            # Sequences with and without a length, with numbers of rows and pixels that are not the picture's.
            inner = Dataset()
            inner.Rows, inner.PixelData = 999, b"\1\2"
            inner["PixelData"].VR = "OW"
            inner.is_undefined_length_sequence_item = True
            outer = Dataset()
            outer.Rows, outer.ReferencedImageSequence = 998, Sequence([inner, inner])
            outer["ReferencedImageSequence"].is_undefined_length = True
            data.ReferencedStudySequence = Sequence([outer])
            data["ReferencedStudySequence"].is_undefined_length = i % 2 == 0
            data.SeriesInstanceUID = uid
            data.InstanceNumber = len(values) - i  # against the places
            data.ImagePositionPatient = [-3, 4, 0.5 * i]
            data.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
            data.PixelSpacing = [0.5, 0.5]
            data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
            data.Rows, data.Columns = slice_.shape
            data.BitsAllocated, data.BitsStored, data.HighBit = 16, 16, 15
            data.PixelRepresentation = int(slice_.dtype.kind == "i")
            data.RescaleSlope, data.RescaleIntercept, data.RescaleType = "+0.5", "-3", "HU"
            for name, value in changes.items():
                if value is None:
                    delattr(data, name)
                else:
                    setattr(data, name, value)
            data.PixelData = slice_.tobytes() + b"\0" * (slice_.nbytes % 2)
            data["PixelData"].VR = "OB" if slice_.itemsize == 1 else "OW"
            # Names say nothing about the order, and may have no suffix.
            data.save_as(self.path(f"{folder}/IM{i * 7 % 5}{suffix}"), write_like_original=False)
        return folder

    def test_dicom_of_others(self):
        expected = self.integers * 0.5 - 3
        for name, words in (("explicit", {}), ("implicit", {"implicit": True}), ("suffix", {"suffix": ".dcm"})):
            with self.subTest(name):
                self.assertEqual(self.difference(self.write_series(name, self.integers, **words), expected), 0)
        self.put("explicit/README", b"nothing")
        self.put("explicit/DICOMDIR", self.get("explicit/IM0"))
        self.assertEqual(self.difference("explicit", expected), 0)
        self.assertEqual(self.difference("explicit/IM0", expected[:1]), 0)
        # Without places the numbers say the order, which is the other one here.
        numbers = self.write_series("numbers", self.integers, ImagePositionPatient=None)
        self.assertEqual(self.difference(numbers, expected[::-1]), 0)
        # A plane whose normal points down.
        turned = self.write_series("turned", self.integers, ImageOrientationPatient=[1, 0, 0, 0, -1, 0])
        self.assertEqual(self.difference(turned, expected[::-1]), 0)
        # 12 bits, signed, with something above them; 8 bits of an odd number of pixels.
        twelve = numpy.arange(-2048, 2047, 20)[:200].astype(numpy.int16).reshape(1, 10, 20)
        above = (twelve & 0xfff | 0x5000).astype(numpy.int16)
        bits = self.write_series("twelve", above, BitsStored=12, HighBit=11)
        self.assertEqual(self.difference(bits, twelve * 0.5 - 3), 0)
        eight = self.integers.astype(numpy.uint8)[:, :5]
        bits = self.write_series("eight", eight, BitsAllocated=8, BitsStored=8, HighBit=7, PhotometricInterpretation=
                                 "MONOCHROME1", RescaleSlope=None, RescaleIntercept=None, RescaleType=None)
        self.assertEqual(self.difference(bits, eight), 0)

    def test_dicom_unknown_sequence(self):
        """An element UN of undefined length holds implicit elements, whatever the others are (PS3.5, 6.2.2)."""
        self.write_series("d", self.integers[:1])
        whole = self.get("d/IM0")
        at = whole.index(struct.pack("<HH", 0x20, 0xe))
        item = struct.pack("<HHIHHI", 0xfffe, 0xe000, 0xffffffff, 0x28, 0x10, 2) + b"\7\0" + struct.pack(
            "<HHI", 0xfffe, 0xe00d, 0)
        unknown = struct.pack("<HH2sHI", 0x9, 0x10, b"UN", 0, 0xffffffff) + item
        unknown += struct.pack("<HHI", 0xfffe, 0xe0dd, 0)
        self.put("d/IM0", whole[:at] + unknown + whole[at:])
        self.assertEqual(self.difference("d", self.integers[:1] * 0.5 - 3), 0)

    def test_dicom_refused(self):
        for text, name, changes in (("not a picture of one frame", "a", {"SamplesPerPixel": 3}),
                                    ("not a picture of one frame", "b", {"NumberOfFrames": 2}),
                                    ("not a picture of one frame", "c", {"PhotometricInterpretation": "PALETTE COLOR"}),
                                    ("32 bits for each pixel", "d", {"BitsAllocated": 32}),
                                    ("damaged", "e", {"BitsStored": 17}), ("damaged", "f", {"HighBit": 11}),
                                    ("damaged", "g", {"Rows": 700}), ("damaged", "h", {"Rows": 0}),
                                    ("at the same place", "i", {"ImagePositionPatient": [0, 0, 1]}),
                                    ("nothing says its place", "j",
                                     {"ImagePositionPatient": None, "InstanceNumber": None})):
            with self.subTest(text=text, changes=changes):
                self.refused_volume(text, self.write_series(name, self.integers, **changes))
        os.remove(self.path(self.write_series("gap", self.integers) + "/IM1"))
        self.refused_volume("gap: slices are missing between", "gap")
        self.write_series("two", self.integers)
        shutil.copy(self.path("a/IM0"), self.path("two/other"))
        self.write_series("other", self.integers)
        shutil.copy(self.path("other/IM1"), self.path("two/other"))
        self.refused_volume("of different series", "two")
        self.put("other/x.dcm", b"short")
        self.refused_volume("x.dcm: is not a DICOM file", "other")
        os.mkdir(self.path("empty"))
        self.refused_volume("a folder without slices", "empty")
        # JPEG, by the name of its transfer syntax; sequences in one another without end.
        self.write_series("jpeg", self.integers[:1])
        whole = self.get("jpeg/IM0")
        self.put("jpeg/IM0", whole.replace(b"1.2.840.10008.1.2.1\0", b"1.2.840.10008.1.2.4."))
        self.refused_volume("is compressed", "jpeg")
        at = whole.index(struct.pack("<HH", 0x20, 0xe))
        self.put("jpeg/IM0", whole[:at] + struct.pack("<HH2sHI", 0x8, 0x1140, b"SQ", 0, 0xffffffff) * 100000)
        self.refused_volume("damaged", "jpeg")
        self.put("jpeg/IM0", whole)
        self.damage("jpeg/IM0", folder="jpeg")

    # ---- NIfTI

    def test_nifti_of_others(self):
        nibabel = support.module("nibabel")
        for name, values, endian, slope in (("a.nii", self.floats, "<", None), ("b.nii", self.integers, "<", 0.25),
                                            ("c.nii", self.integers, ">", None),
                                            ("d.nii", self.floats.astype("f8"), ">", 2)):
            header = nibabel.Nifti1Header(endianness=endian)
            header.set_data_dtype(values.dtype)
            image = nibabel.Nifti1Image(values.T, numpy.diag([0.5, 0.5, 2, 1]), header)
            if slope:
                image.header.set_slope_inter(slope, -7)
            nibabel.save(image, self.path(name))
            expected = numpy.asarray(nibabel.load(self.path(name)).dataobj).T
            with self.subTest(name):
                self.assertEqual(self.difference(name, expected), 0)

    def test_nifti_refused(self):
        self.phantom("scan.h5", "--size", 32, "--rows", 2)
        self.tomo("reconstruct", "-q", "scan.h5", "-o", "v.nii")
        whole = self.get("v.nii")
        for text, offset, content in (("not a volume", 0, struct.pack("<i", 540)), ("not a volume", 344, b"ni1\0"),
                                      ("damaged", 40, struct.pack("<h", 8)), ("damaged", 42, struct.pack("<h", -3)),
                                      ("truncated", 46, struct.pack("<h", 3)),
                                      ("truncated", 42, struct.pack("<h", 32767)),
                                      ("more than three", 40, struct.pack("<5h", 4, 32, 32, 1, 2)),
                                      ("of the NIfTI type 128", 70, struct.pack("<h", 128)),
                                      ("damaged", 72, struct.pack("<h", 16)), ("damaged", 108, struct.pack("<f", 0)),
                                      ("damaged", 108, struct.pack("<f", numpy.nan)),
                                      ("truncated", 108, struct.pack("<f", 1e8))):
            self.put("x.nii", whole[:offset] + content + whole[offset + len(content):])
            with self.subTest(text=text, offset=offset):
                self.refused_volume(text, "x.nii")
        self.put("x.nii.gz", b"\x1f\x8b" + whole)
        self.refused_volume("unpack .gz", "x.nii.gz")
        self.damage("v.nii")

    # ---- Zarr

    def zarr_2(self, name, values, chunks, separator=".", fill=0):
        """Made by Debian's library, which knows nothing else in its version 2."""
        zarr = support.module("zarr")
        words = {"shape": values.shape, "chunks": chunks, "dtype": values.dtype, "fill_value": fill}
        if int(zarr.__version__.split(".", 1)[0]) > 2:
            array = zarr.create_array(self.path(name), zarr_format=2, compressors=None, filters=None,
                                      chunk_key_encoding={"name": "v2", "separator": separator}, **words)
        else:
            array = zarr.open(self.path(name), "w", compressor=None, dimension_separator=separator, **words)
        array[:] = values
        return array

    def test_zarr_of_others(self):
        for name, values, words in (("a", self.floats, {}), ("b", self.integers, {"separator": "/"}),
                                    ("c", self.floats.astype(">f8"), {}), ("d", self.floats[None, None], {}),
                                    ("e", self.integers.astype("u1"), {"fill": 9})):
            array = self.zarr_2(name + ".zarr", values, (1,) * (values.ndim - 3) + (2, 4, 3), **words)
            if name == "e":  # a chunk that is not there
                os.remove(self.path("e.zarr/1.1.0"))
                values = array[:]
                self.assertTrue((values[2:4, 4:, :3] == 9).all())
            with self.subTest(name):
                self.assertEqual(self.difference(name + ".zarr", values.reshape(self.floats.shape)), 0)
        self.zarr_2("g.zarr/deep/0", self.floats, (2, 4, 3))
        self.put("g.zarr/.zgroup", b'{"zarr_format": 2}')
        self.put("g.zarr/.zattrs", json.dumps({"multiscales": [{"datasets": [{"path": "deep/0"}]}]}).encode())
        self.assertEqual(self.difference("g.zarr", self.floats), 0)

    def write_zarr_3(self, name, **changes):
        """By the words of the specification; Debian 12's library has only Zarr 2."""
        about = {"zarr_format": 3, "node_type": "array", "shape": [5, 6, 7], "data_type": "float32",
                 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4, 3]}},
                 "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": "NaN",
                 "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}], "attributes": {}, **changes}
        whole = numpy.zeros((6, 8, 9), ">f4")
        whole[:5, :6, :7] = self.floats
        for z, y, x in numpy.ndindex(3, 2, 3):
            folder = self.path(f"{name}/c/{z}/{y}")
            os.makedirs(folder, exist_ok=True)
            whole[2 * z:2 * z + 2, 4 * y:4 * y + 4, 3 * x:3 * x + 3].tofile(f"{folder}/{x}")
        self.put(name + "/zarr.json", json.dumps(about).encode())
        return name

    def test_zarr_3(self):
        self.assertEqual(self.difference(self.write_zarr_3("a.zarr"), self.floats), 0)
        os.remove(self.path("a.zarr/c/1/0/2"))
        self.refused("NaN or infinite", "compare", "a.zarr", "a.zarr", status=1)  # the fill value

    def test_zarr_refused(self):
        zarr = support.module("zarr")
        zarr.save(self.path("packed.zarr"), self.floats)
        self.refused_volume("packed", "packed.zarr")
        sizes = {"name": "regular", "configuration": {"chunk_shape": [0, 4, 3]}}
        keys = {"name": "default", "configuration": {"separator": "/../"}}
        for text, changes in (("packed", {"codecs": [{"name": "bytes"}, {"name": "zstd"}]}),
                              ("damaged", {"codecs": [{}]}),
                              ("of the type", {"data_type": "complex64"}), ("of the type", {"data_type": ["r8"]}),
                              ("damaged", {"shape": [5, 6, -7]}), ("damaged", {"shape": [5, 6.5, 7]}),
                              ("damaged", {"shape": [5, 6]}), ("too large", {"shape": [5, 0, 7]}),
                              ("more than 65536 chunks", {"shape": [5, 2**40, 7]}),
                              ("too large", {"shape": [5, 65540, 7]}), ("damaged", {"chunk_grid": sizes}),
                              ("damaged", {"chunk_key_encoding": keys}),
                              ("damaged", {"fill_value": [1]}), ("damaged", {"zarr_format": 4})):
            with self.subTest(text=text, changes=changes):
                self.refused_volume(text, self.write_zarr_3("x.zarr", **changes))
        self.write_zarr_3("x.zarr")
        with open(self.path("x.zarr/c/1/1/1"), "ab") as file:
            file.truncate(90)
        self.refused_volume("truncated", "x.zarr")
        small = {"name": "regular", "configuration": {"chunk_shape": [1, 1, 1]}}
        self.refused_volume("more than 65536 chunks",
                            self.write_zarr_3("x.zarr", shape=[5, 16384, 16384], chunk_grid=small))
        # Brackets within brackets, wherever a value may be.
        deep = "[" * 200000 + "]" * 200000
        self.put("x.zarr/zarr.json", ('{"zarr_format": 3, "node_type": "array", "shape": %s}' % deep).encode())
        self.refused_volume("damaged", "x.zarr")
        os.makedirs(self.path("deep.zarr"))
        self.put("deep.zarr/.zgroup", b'{"zarr_format": 2}')
        for member in ("axes", "metadata", "coordinateTransformations", "name"):
            for first in ("", '"%s": %s, ' % (member, deep)):
                self.put("deep.zarr/.zattrs", ('{"multiscales": [{"datasets": [{%s"path": "0"}], "%s": %s}]}' %
                                               (first, member, deep)).encode())
                with self.subTest(member, first=bool(first)):
                    self.refused_volume("damaged", "deep.zarr")
        for path in ("../x.zarr", "/etc", "", "a//b", "./0", "0/..", "a\0b"):
            group = {"zarr_format": 3, "node_type": "group",
                     "attributes": {"ome": {"multiscales": [{"datasets": [{"path": path}]}]}}}
            os.makedirs(self.path("group.zarr"), exist_ok=True)
            self.put("group.zarr/zarr.json", json.dumps(group).encode())
            with self.subTest(path=path):
                self.refused_volume("damaged", "group.zarr")
        group["attributes"] = {}
        self.put("group.zarr/zarr.json", json.dumps(group).encode())
        self.refused_volume("without \"multiscales\"", "group.zarr")
        self.write_zarr_3("x.zarr")
        self.damage("x.zarr/zarr.json", folder="x.zarr")


if __name__ == "__main__":
    support.main()
