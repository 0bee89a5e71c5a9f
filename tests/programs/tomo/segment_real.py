"""`vershina tomo segment` with ONNX Runtime itself (VERSHINA_ONNXRUNTIME) and phantom-unet.onnx: masks of phantoms that
the network was not trained on, against the truth. Run by tools/check-all.sh tomography."""
import os
import sys

import support
from support import numpy

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../programs/tomo/segmentation")
sys.path.insert(0, ROOT)
import phantoms  # noqa: E402

MODEL = os.path.join(ROOT, "phantom-unet.onnx")
SIZE = 300  # four tiles of 256 x 256
THRESHOLDED = numpy.array([0, 3, 1, 2])  # classes by ascending density
LEAST = {"background": .99, "body": .99, "dense": .95, "cavity": .95}


class Real(support.Case):
    def test_phantoms(self):
        random = numpy.random.default_rng(2026)
        truths, slices = [], []
        for seed in range(4):
            found = phantoms.random_object(random)
            self.put("object.txt", phantoms.object_text(found).encode())
            scan = self.phantom("scan.h5", "-f", "--object", "object.txt", "--size", SIZE, "--rows", 1, "--projections",
                                180, "--noise", 4, "--seed", seed)
            slices.append(self.volume(scan)[0])
            truths.append(phantoms.true_mask(found, SIZE))
        numpy.save(self.path("volume.npy"), numpy.stack(slices))
        truth = numpy.stack(truths)
        self.tomo("segment", "volume.npy", "--model", MODEL, "-o", "mask.h5")
        self.assertIn("classes background, body, dense, cavity; tiles of 256 x 256, 4 for a slice", self.error)
        mask = self.read("mask.h5")
        for label, name in enumerate(phantoms.LABELS):
            dice = phantoms.dice(mask, truth, label)
            # The noise is such that no thresholds do this.
            simple = phantoms.dice(THRESHOLDED[numpy.digitize(slices, [.2, .8, 1.25])], truth, label)
            print(f"{name}: Dice {dice:.4f}, by thresholds {simple:.4f}")
            self.assertGreaterEqual(dice, LEAST[name], name)
            self.assertLess(simple, .95)
        pydicom = support.module("pydicom")
        self.tomo("segment", "volume.npy", "--model", MODEL, "-t", 1, "-q", "--format", "dicom", "-o", "series")
        for z in range(4):
            image = pydicom.dcmread(self.path(f"series/slice{z + 1:04}.dcm"))
            numpy.testing.assert_array_equal(image.pixel_array, mask[z])
        self.assertIn("2 dense", image.ImageComments)

    def test_broken(self):
        """ONNX Runtime's own refusal is one line, too."""
        with open(MODEL, "rb") as file:
            content = file.read()
        self.put("bad.onnx", content.replace(b"ConvTranspose", b"ConvTransverse"[:13]))
        numpy.save(self.path("volume.npy"), numpy.zeros((1, 64, 64), "f4"))
        self.refused("ONNX Runtime: ", "segment", "volume.npy", "--model", "bad.onnx", "-o", "x.npy", status=3)


if __name__ == "__main__":
    support.main()
