"""Volumes in every format that is written, read by other programs."""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import unittest.mock

import support
from support import PROGRAM, h5py, numpy


class Outputs(support.Case):
    def setUp(self):
        super().setUp()
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 40, "--rows", 19, "--projections", 30,
                     "--pixel", 0.25, "--volume", "true.h5")
        self.expected = self.volume("scan.h5")

    def write(self, name, *words):
        self.tomo("reconstruct", "-q", "scan.h5", *words, "-o", name)
        return self.path(name)

    def test_hdf5(self):
        with h5py.File(self.write("v.h5")) as file:
            sets = []
            file.visititems(lambda name, object: sets.append((name, getattr(object, "ndim", None))))
            self.assertEqual([name for name, rank in sets if rank == 3], ["exchange/data"])
            data = file["exchange/data"]
            self.assertEqual((data.dtype, data.attrs["axes"], data.attrs["units"]), ("<f4", b"z:y:x", b"1/pixel"))
            numpy.testing.assert_array_equal(data[:], self.expected)
            self.assertEqual(json.loads(file["process/vershina/history"][()])["algorithm"], "fbp")
        # Its own reader, too; the phantom has the right values.
        self.assertLess(self.compare("v.h5", "true.h5")["rmse"], 0.08)
        first = hashlib.sha256(self.get("v.h5")).digest()
        self.write("v.h5", "-f")
        self.assertEqual(first, hashlib.sha256(self.get("v.h5")).digest())

    def test_standard_output(self):
        data = self.tomo("reconstruct", "-q", "scan.h5", "--format", "numpy", "-o", "-", binary=True)
        self.put("v.npy", data)
        numpy.testing.assert_array_equal(numpy.load(self.path("v.npy")), self.expected)

    def test_tiff(self):
        tifffile = support.module("tifffile")
        with tifffile.TiffFile(self.write("v.tif")) as file:
            numpy.testing.assert_array_equal(file.asarray(), self.expected)
            numerator, denominator = file.pages[3].tags["XResolution"].value
            self.assertEqual(numerator / denominator, 40)
        with tifffile.TiffFile(self.write("w.tif", "--format", "tiff16", "--window=-0.5:1.5")) as file:
            words = file.asarray()
            self.assertEqual(words.dtype, numpy.uint16)
        exact = numpy.clip((self.expected.astype(float) + 0.5) / 2 * 65535, 0, 65535)
        self.assertLess(numpy.abs(words - exact).max(), 0.51)
        folder = self.write("slices", "--format", "tiff")
        self.assertEqual(len(os.listdir(folder)), 19)
        numpy.testing.assert_array_equal(tifffile.imread(folder + "/slice0007.tif"), self.expected[7])
        self.assertEqual(self.compare("slices", "v.tif")["rmse"], 0)

    def test_png(self):
        image = support.module("PIL.Image").Image
        picture = image.open(self.write("s.png", "--slices", "9", "--window", "0:1"))
        self.assertEqual(picture.text["Window"], "0:1")
        # A slice alone takes another way through the library, with other rounding.
        exact = numpy.clip(self.volume("scan.h5", "--slices", "9")[0].astype(float) * 65535, 0, 65535)
        self.assertLess(numpy.abs(numpy.array(picture) - exact).max(), 0.51)
        folder = self.write("pictures", "--format", "png", "--window", "0:1")
        levels = numpy.array(image.open(folder + "/slice0009.png")).astype(int) - numpy.array(picture)
        self.assertLessEqual(numpy.abs(levels).max(), 1)
        self.refused("one picture for 19 slices", "reconstruct", "scan.h5", "-o", "x.png", status=2)

    def test_nifti(self):
        nibabel = support.module("nibabel")
        volume = nibabel.load(self.write("v.nii"))
        numpy.testing.assert_array_equal(numpy.asarray(volume.dataobj).transpose(2, 1, 0), self.expected)
        self.assertEqual(volume.affine[:3, :3].diagonal().tolist(), [-0.25, -0.25, 0.25])
        self.assertEqual(volume.header.get_xyzt_units()[0], "mm")

    def series(self, folder, *words):
        pydicom = support.module("pydicom")
        files = sorted(glob.glob(self.write(folder, "--format", "dicom", *words) + "/*.dcm"))
        return files, [pydicom.dcmread(file) for file in files]

    def test_dicom(self):
        files, sets = self.series("d", "--patient-name", "Иванов^Иван", "--study", "Test")
        self.assertEqual(len(files), 19)
        values = numpy.stack([s.pixel_array * float(s.RescaleSlope) + float(s.RescaleIntercept) for s in sets])
        self.assertLess(numpy.abs(values - self.expected).max(), float(sets[0].RescaleSlope))
        self.assertEqual(str(sets[0].PatientName), "Иванов^Иван")
        for name in ("StudyInstanceUID", "SeriesInstanceUID", "FrameOfReferenceUID"):
            self.assertEqual(len({getattr(s, name) for s in sets}), 1)
        self.assertEqual(len({s.SOPInstanceUID for s in sets}), 19)
        places = [float(s.ImagePositionPatient[2]) for s in sets]
        numpy.testing.assert_allclose(numpy.diff(places), 0.25)
        self.assertEqual(float(sets[0].PixelSpacing[0]), 0.25)
        if shutil.which("dciodvfy") is None:
            self.skipTest("needs dicom3tools")
        for folder, words in (("e", []), ("h", ["--hounsfield", "0.2"])):
            for file in self.series(folder, *words)[0][:2]:
                said = subprocess.run(["dciodvfy", file], capture_output=True, text=True, check=False).stderr
                self.assertNotIn("Error", said)
                self.assertNotIn("Retired", said)

    def test_hounsfield(self):
        _, sets = self.series("d", "--hounsfield", "0.2")
        values = numpy.stack([s.pixel_array * float(s.RescaleSlope) + float(s.RescaleIntercept) for s in sets])
        exact = 1000 * (self.expected.astype(float) - 0.2) / 0.2
        self.assertLess(numpy.abs(values - exact.clip(-1024)).max(), 0.51)
        self.assertEqual(sets[0].RescaleType, "HU")
        self.tomo("reconstruct", "-q", "scan.h5", "--per", "mm", "-o", "mm.h5")
        numpy.testing.assert_allclose(self.read("mm.h5"), self.expected * 4, rtol=1e-6)

    def test_zarr_2(self):
        zarr = support.module("zarr")
        group = zarr.open(self.write("v.zarr", "--format", "ome-zarr-0.4"), "r")
        numpy.testing.assert_array_equal(group["0"][:], self.expected)
        self.assertEqual(group.attrs["multiscales"][0]["version"], "0.4")
        self.assertEqual(sorted(os.listdir(self.path("v.zarr"))), [".zattrs", ".zgroup", "0"])

    def test_zarr_3(self):
        self.phantom("wide.h5", "--size", 300, "--rows", 18, "--projections", 8)
        self.tomo("reconstruct", "-q", "wide.h5", "-o", "v.zarr")
        full = self.volume("wide.h5")
        with open(self.path("v.zarr/zarr.json"), encoding="utf-8") as file:
            scales = json.load(file)["attributes"]["ome"]["multiscales"][0]
        self.assertEqual([axis["name"] for axis in scales["axes"]], ["z", "y", "x"])
        self.assertEqual([s["path"] for s in scales["datasets"]], ["0", "1"])
        self.assertEqual(scales["datasets"][1]["coordinateTransformations"][1]["translation"], [0.5] * 3)
        numpy.testing.assert_array_equal(self.read_zarr("v.zarr/0"), full)
        means = full.reshape(9, 2, 150, 2, 150, 2).mean((1, 3, 5))
        numpy.testing.assert_allclose(self.read_zarr("v.zarr/1"), means, atol=1e-6)

    def test_sealed(self):
        subprocess.run([PROGRAM, "keygen", "-o", self.path("key")], check=True, capture_output=True)
        self.write("v.npy.sealed", "--seal", "-k", "key")
        self.assertNotIn(b"NUMPY", self.get("v.npy.sealed"))
        self.open_sealed("v.npy.sealed", "v.npy")
        numpy.testing.assert_array_equal(numpy.load(self.path("v.npy")), self.expected)
        # HDF5's frame, with names and labels in the clear, is in no temporary folder.
        with unittest.mock.patch.dict(os.environ, {"TMPDIR": self.path("none")}):
            self.write("v.h5.sealed", "--seal", "-k", "key")
        self.assertNotIn(b"exchange", self.get("v.h5.sealed"))
        self.open_sealed("v.h5.sealed", "v.h5")
        numpy.testing.assert_array_equal(self.read("v.h5"), self.expected)
        self.write("d.sealed", "--format", "png", "--seal", "-k", "key", "--window", "0:1")
        self.open_sealed("d.sealed", "opened")
        self.write("plain", "--format", "png", "--window", "0:1")
        for name in os.listdir(self.path("plain")):
            self.assertEqual(self.get("plain/" + name), self.get("opened/" + name))
        self.refused("--seal is not", "reconstruct", "scan.h5", "-k", "key", "-o", "x.npy", status=2)

    def open_sealed(self, name, output):
        subprocess.run([PROGRAM, "open", "-k", "key", name, "-o", output], cwd=self.folder, check=True,
                       capture_output=True)


if __name__ == "__main__":
    support.main()
