"""`vershina tomo segment` over fake_onnxruntime.cpp; segment_real.py has the real library and a trained network."""
import ctypes
import json
import os

import onnx
import support
from support import h5py, numpy

FAKE = os.environ["VERSHINA_FAKE_ONNXRUNTIME"]
SIZE = 45


class Segment(support.Case):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(7)
        self.truth = random.integers(0, 3, (4, SIZE, SIZE))
        numpy.save(self.path("volume.npy"), (self.truth + random.uniform(-.4, .4, self.truth.shape)).astype("f4"))
        self.model("in=1,1,16,16;out=1,3,16,16")

    def model(self, spec, **words):
        self.put("model.onnx", onnx.model(spec, **words))

    def words(self, *words):
        return ["segment", "volume.npy", "--model", "model.onnx", "--runtime", FAKE, *words]

    def mask(self, *words):
        self.tomo(*self.words(*words, "-f", "-o", "mask.npy"))
        return numpy.load(self.path("mask.npy"))

    def test_masks(self):
        """Every tile in its place: the network's answer for a pixel depends on that pixel alone."""
        for spec, words in (("in=1,1,16,16;out=1,3,16,16", ["--overlap", 0]), ("in=1,1,16,16;out=1,3,16,16", []),
                            ("in=1,1,16,16;out=1,3,16,16", ["--overlap", 8]),
                            ("in=1,1,45,45;out=1,3,45,45", []), ("in=1,1,64,64;out=1,3,64,64", []),
                            ("in=-1,-1,-1,-1;out=-1,3,-1,-1", ["--tile", 44, "--overlap", 3]),
                            ("in=1,1,-1,-1;out=1,3,-1,-1", [])):
            self.model(spec)
            numpy.testing.assert_array_equal(self.mask(*words), self.truth)
        numpy.testing.assert_array_equal(self.mask("--slices", "1:3"), self.truth[1:3])

    def test_edges_of_tiles(self):
        """Inside of the slice the tile decides that sees more of the surroundings."""
        self.model("in=1,1,16,16;out=1,2,16,16;mode=edges")
        expected = numpy.ones((4, SIZE, SIZE))
        expected[:, 1:-1, 1:-1] = 0
        numpy.testing.assert_array_equal(self.mask(), expected)
        self.assertGreater(self.mask("--overlap", 0)[:, 1:-1, 1:-1].sum(), 0)

    def test_one_score(self):
        self.model("in=1,1,16,16;out=1,1,16,16")
        volume = numpy.load(self.path("volume.npy"))
        numpy.testing.assert_array_equal(self.mask(), volume >= .5)
        numpy.testing.assert_array_equal(self.mask("--threshold", "1.25"), volume >= 1.25)
        # 1 and beyond become 1, 0 and below 0. Without overlap means are exact.
        exact = ["--overlap", 0, "--threshold", "1"]
        numpy.testing.assert_array_equal(self.mask("--range", "0:1", *exact), volume >= 1)
        numpy.testing.assert_array_equal(self.mask("--range=-2:2", *exact), volume >= 2)
        self.assertEqual(self.mask("--range", "3:4", "--overlap", 0, "--threshold", "-0.001").min(), 1)

    def test_hdf5(self):
        with h5py.File(self.path("volume.h5"), "w") as file:
            file["exchange/data"] = self.truth.astype("f4")
            file["exchange/data"].attrs["axes"] = "z:y:x"
            file["process/vershina/pixel_mm"] = .25
        self.model("in=1,1,16,16;out=1,3,16,16", labels="air,кость,metal")
        self.tomo("segment", "volume.h5", "--model", "model.onnx", "-o", "mask.h5",
                  env={**os.environ, "VERSHINA_ONNXRUNTIME": FAKE})
        self.assertIn("кость", self.error)
        self.assertIn(f"class 2, metal: {(self.truth == 2).sum()} pixels", self.error)
        self.assertIn("tiles of 16 x 16, 16 for a slice; ONNX Runtime 0.fake", self.error)
        numpy.testing.assert_array_equal(self.read("mask.h5"), self.truth)
        history = json.loads(self.read("mask.h5", "process/vershina/history"))
        self.assertEqual((history["labels"], history["model"]), ("air,кость,metal", "model.onnx"))
        self.assertEqual(self.read("mask.h5", "process/vershina/pixel_mm"), .25)

    def test_zarr_of_others(self):
        """The pixel is the product of all scales, wherever they are among the transformations."""
        self.model("in=1,1,16,16;out=1,3,16,16", labels="air,tissue,metal")
        os.makedirs(self.path("v.zarr/0"))
        shape = list(self.truth.shape)
        self.put("v.zarr/.zgroup", b'{"zarr_format": 2}')
        self.put("v.zarr/0/.zarray", json.dumps({
            "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": "<f4", "order": "C", "compressor": None,
            "filters": None, "fill_value": 0}).encode())
        self.put("v.zarr/0/0.0.0", self.truth.astype("<f4").tobytes())
        move, small = {"type": "translation", "translation": [1, 1, 1]}, {"type": "scale", "scale": [1, 1, 0.25]}
        environment = {**os.environ, "VERSHINA_ONNXRUNTIME": FAKE}
        words = ["segment", "v.zarr", "--model", "model.onnx", "-q", "-f", "-o", "mask.h5"]
        for steps, more, pixel in (([small, move], {}, .25), ([move, small], {}, .25), ([move], {}, 1),
                                   ([small], {"coordinateTransformations": [{"type": "scale", "scale": [1, 1, 8]}]}, 2),
                                   ([{"type": "scale", "scale": []}], {}, None),
                                   ([{"type": "scale", "scale": ["x"]}], {}, None), ([3], {}, None), ([{}], {}, None)):
            axes = [{"name": name, "type": "space", "unit": "millimeter"} for name in "zyx"]
            self.put("v.zarr/.zattrs", json.dumps({"multiscales": [{
                "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": steps}], **more}]}).encode())
            with self.subTest(steps=steps, more=more):
                self.tomo(*words, env=environment, status=0 if pixel else 3)
                if pixel:
                    self.assertEqual(self.read("mask.h5", "process/vershina/pixel_mm"), pixel)
                else:
                    self.assertIn("damaged metadata", self.error)

    def test_png(self):
        image = support.module("PIL.Image").Image
        self.tomo(*self.words("--labels", "air,tissue,bone", "--format", "png", "-q", "-o", "masks"))
        picture = image.open(self.path("masks/slice0002.png"))
        self.assertEqual((picture.mode, picture.text["Labels"]), ("P", "0 air; 1 tissue; 2 bone"))
        numpy.testing.assert_array_equal(numpy.array(picture), self.truth[2])
        colours = picture.convert("RGB").getcolors()
        self.assertEqual({colour for _, colour in colours}, {(0, 0, 0), (128, 0, 0), (0, 128, 0)})
        numpy.save(self.path("true.npy"), self.truth.astype("f4"))
        self.assertEqual(self.compare("masks", "true.npy")["rmse"], 0)
        # Another picture with a palette is not a picture of numbers.
        picture.save(self.path("other.png"))
        self.refused("is not a greyscale picture", "compare", "other.png", "true.npy", status=3)

    def test_dicom(self):
        pydicom = support.module("pydicom")
        self.tomo(*self.words("--labels", "air,tissue,bone", "--format", "dicom", "--pixel", .5, "-q", "-o", "masks"))
        image = pydicom.dcmread(self.path("masks/slice0003.dcm"))
        self.assertEqual((image.RescaleSlope, image.RescaleIntercept, image.PixelSpacing), (1, 0, [.5, .5]))
        self.assertEqual((image.WindowCenter, image.WindowWidth), (1, 2))
        self.assertEqual(image.ImageComments, "0 air; 1 tissue; 2 bone")
        words = numpy.frombuffer(image.PixelData, "<u2").reshape(SIZE, SIZE)
        numpy.testing.assert_array_equal(words, self.truth[2])
        # The size of a pixel is taken over where it is one number.
        for spacing in ([.5, .5], [.2, .3]):
            for name in os.listdir(self.path("masks")):
                image = pydicom.dcmread(self.path("masks/" + name))
                image.PixelSpacing = spacing
                image.save_as(self.path("masks/" + name))
            self.tomo("segment", "masks", *self.words("-q", "-f", "-o", "mask.h5")[2:])
            with h5py.File(self.path("mask.h5")) as file:
                size = file.get("process/vershina/pixel_mm")
                self.assertEqual(size and size[()], .5 if spacing[0] == spacing[1] else None)

    def test_runtime(self):
        self.put("text.so", b"no library")
        for file in ("missing.so", "text.so", "libm.so.6"):
            self.refused("ONNX Runtime cannot be loaded: ", "segment", "volume.npy", "--model", "model.onnx",
                         "--runtime", file, "-o", "x.npy", status=70)
        self.assertIn("name its libonnxruntime.so with --runtime", self.error)
        with open("/proc/self/maps", encoding="utf-8") as maps:
            other = next(line.split()[-1] for line in maps if "/libc.so" in line)
        self.refused("not an ONNX Runtime", "segment", "volume.npy", "--model", "model.onnx", "--runtime", other, "-o",
                     "x.npy", status=70)
        try:
            ctypes.CDLL("libonnxruntime.so.1")
        except OSError:
            environment = {name: value for name, value in os.environ.items() if name != "VERSHINA_ONNXRUNTIME"}
            self.tomo("segment", "volume.npy", "--model", "model.onnx", "-o", "x.npy", status=70, env=environment)
            self.assertEqual(len(self.error.splitlines()), 1)
            self.assertIn("pip install onnxruntime, and name its library with --runtime", self.error)

    def refused_model(self, text, content, status=3):
        self.put("model.onnx", content)
        self.refused(text, *self.words("-o", "x.npy"), status=status)

    def test_broken_models(self):
        good = onnx.model("in=1,1,16,16;out=1,3,16,16")
        for content in (b"", b"text\n", good[:-1], good + b"\xff", good + b"\x0b", good + b"\x82\x01\x7f",
                        onnx.field(2, "fake:"), b"\x18\0\0\0ORTM" + good):
            self.refused_model("not an ONNX model", content)
        # protobuf takes 32 bits of a tag: this one of 33 is field 13 of a tensor, external data.
        self.refused_model("not an ONNX model", onnx.model("", onnx.field(5, b"\xea\x80\x80\x80\x10\0")))
        deep = b""
        for _ in range(200):
            deep = onnx.field(1, onnx.field(5, onnx.field(6, deep)))
        self.refused_model("not an ONNX model", onnx.model("", deep))
        os.remove(self.path("model.onnx"))
        self.refused("model.onnx", *self.words("-o", "x.npy"), status=3)

    def test_external_data(self):
        """A tensor that names a file, wherever a model can have one."""
        entry = onnx.field(13, onnx.field(1, "location") + onnx.field(2, "/etc/passwd"))
        for tensor in (entry, onnx.field(14, 1)):
            in_attribute = onnx.node("Constant", onnx.field(5, onnx.field(5, tensor)))
            for graph in (onnx.field(5, tensor), onnx.field(15, onnx.field(1, tensor)),
                          onnx.field(15, onnx.field(2, tensor)), in_attribute,
                          onnx.node("Constant", onnx.field(5, onnx.field(10, tensor))),
                          onnx.node("Constant", onnx.field(5, onnx.field(22, onnx.field(1, tensor)))),
                          onnx.node("If", onnx.field(5, onnx.field(6, in_attribute))),
                          onnx.node("If", onnx.field(5, onnx.field(11, in_attribute)))):
                self.refused_model("the weights are in other files", onnx.model("", graph))
            good = onnx.model("")
            self.refused_model("the weights are in other files", good + onnx.field(7, onnx.field(5, tensor)))
            self.refused_model("the weights are in other files", good + onnx.field(20, onnx.field(1, in_attribute)))
            function = onnx.field(7, onnx.node("Constant", onnx.field(5, onnx.field(5, tensor)))[2:])
            self.refused_model("the weights are in other files", good + onnx.field(25, function))
        for name in ("Loop", "Scan", "SequenceMap", "BeamSearch", "GreedySearch", "Sampling"):
            self.refused_model("has the operator " + name, onnx.model("", onnx.node(name)))

    def test_other_models(self):
        for spec, text in (("in=1,1,16,16;out=1,3,16,16;inputs=2", "has 2 inputs and 1 outputs"),
                           ("in=1,3,16,16;out=1,3,16,16", "the input is [1, 3, 16, 16]"),
                           ("in=1,1,16,32;out=1,3,16,32", "the input is [1, 1, 16, 32]"),
                           ("in=1,1,9999,9999;out=1,3,9999,9999", "n must be 1 to 4096"),
                           ("in=1,16,16;out=1,3,16,16", "the input: 3 dimensions"),
                           ("in=1,1,16,16;out=1,3,8,8", "the output is [1, 3, 8, 8]"),
                           ("in=1,1,16,16;out=1,-1,16,16", "the output is [1, ?, 16, 16]"),
                           ("in=1,1,16,16;out=1,256,16,16", "at most 255 classes"),
                           ("in=1,1,16,16;out=1,3,16,16;type=7", "is not a tensor of float32"),
                           ("in=1,1,16,16;out=1,3,16,16;mode=shape", "the output is [1, 3, 16, 17]")):
            self.refused_model(text, onnx.model(spec))
        self.refused_model("ONNX Runtime: 'not made for this fake'", onnx.field(7, onnx.node("Identity")))
        self.model("in=1,1,16,16;out=1,3,16,16;mode=fail")
        self.refused("ONNX Runtime: 'threads 3, 1'", *self.words("-t", 3, "-q", "-o", "x.npy"), status=3)
        self.model("in=1,1,16,16;out=1,3,16,16;mode=nan")
        self.refused("NaN or infinite scores", *self.words("-q", "-o", "x.npy"), status=1)

    def test_other_options(self):
        for words, text in ((["--labels", "a,b"], "--labels: 2 labels for 3 classes"),
                            (["--threshold", "0"], "--threshold: the model has 3 classes"),
                            (["--tile", 32], "--tile 32: the model takes 16"),
                            (["--overlap", 9], "--overlap 9: tiles have 16 pixels"),
                            (["--slices", "4"], "--slices: the volume has slices 0 to 3")):
            self.refused(text, *self.words(*words, "-o", "x.npy"), status=2)
        self.model("in=1,1,16,16;out=1,3,16,16", labels="a,b")
        self.refused("model.onnx: 2 labels for 3 classes", *self.words("-o", "x.npy"), status=3)
        numpy.save(self.path("volume.npy"), numpy.zeros((2, 8, 9), "f4"))
        self.refused("only square ones", *self.words("-o", "x.npy"), status=2)
        numpy.save(self.path("volume.npy"), numpy.full((2, 8, 8), numpy.nan, "f4"))
        self.model("in=1,1,16,16;out=1,3,16,16")
        self.refused("NaN or infinite values", *self.words("-q", "-o", "x.npy"), status=1)


if __name__ == "__main__":
    support.main()
