"""Volumes that `compare`, `view` and `segment` open: what this program writes and what other programs write."""
import json
import os
import struct

import support
from support import numpy


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

    # ---- Zarr

    def test_zarr_of_others(self):
        zarr = support.module("zarr")
        for name, values, words in (("a", self.floats, {}), ("b", self.integers, {"dimension_separator": "/"}),
                                    ("c", self.floats.astype(">f8"), {}), ("d", self.floats[None, None], {}),
                                    ("e", self.integers.astype("u1"), {"fill_value": 9})):
            chunks = (1,) * (values.ndim - 3) + (2, 4, 3)
            array = zarr.open(self.path(name + ".zarr"), "w", shape=values.shape, chunks=chunks, dtype=values.dtype,
                              compressor=None, **words)
            array[:] = values
            if name == "e":  # a chunk that is not there
                os.remove(self.path("e.zarr/1.1.0"))
                values = array[:]
                self.assertTrue((values[2:4, 4:, :3] == 9).all())
            with self.subTest(name):
                self.assertEqual(self.difference(name + ".zarr", values.reshape(self.floats.shape)), 0)
        group = zarr.open_group(self.path("g.zarr"), "w")
        group.create_dataset("deep/0", data=self.floats, chunks=(2, 4, 3), compressor=None)
        group.attrs["multiscales"] = [{"datasets": [{"path": "deep/0"}]}]
        self.assertEqual(self.difference("g.zarr", self.floats), 0)

    def write_zarr_3(self, name, **changes):
        """By the words of the specification; Debian's library has only Zarr 2."""
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
        self.refused("no numbers", "compare", "a.zarr", "a.zarr", status=1)  # the fill value


if __name__ == "__main__":
    support.main()
