"""The viewer's page in Chromium: slices, windows, cross-hair, differences, profiles, saved pictures, keys.

VERSHINA_PICTURES=FOLDER: also draws the pictures of docs/tomography.md. Part of tools/check-all.sh.
"""
import io
import os
import sys
import time

import support
import viewer
import webdriver
from support import numpy

SHIFT, ESCAPE = "\ue008", "\ue00c"
UP, DOWN, PAGE_DOWN, HOME, END = "\ue013", "\ue015", "\ue00f", "\ue011", "\ue010"
PANE = ".pane:nth-child({}) canvas"
SHAPE = (24, 40, 32)


def grey(values, low, high):
    """Returns the grey values of a window: 0 to 255, rounded to the nearest, halves to even."""
    values = numpy.asarray(values, numpy.float64)
    scaled = (values - low) * (255 / (high - low))
    return numpy.rint(numpy.clip(numpy.nan_to_num(scaled, nan=0), 0, 255)).astype(numpy.uint8)


def save_small(screenshot, path):
    """As a picture with a palette: every second grey, and 128 colours of the lines and buttons."""
    from PIL import Image
    with Image.open(io.BytesIO(screenshot)) as opened:
        picture = opened.convert("RGB")
    pixels = numpy.asarray(picture).reshape(1, -1, 3)
    coloured = Image.fromarray(pixels[:, numpy.ptp(pixels[0].astype(int), 1) > 12])
    colours = coloured.quantize(128, Image.Quantize.MAXCOVERAGE).getpalette()[:3 * 128]
    palette = Image.new("P", (1, 1))
    palette.putpalette([level for grey_level in range(0, 256, 2) for level in 3 * [grey_level]] + colours)
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


class Page(support.Case):
    def setUp(self):
        super().setUp()
        self.first = self.volume("first.npy", 1)
        self.second = self.volume("second.npy", 2)

    def volume(self, name, seed):
        z, y, x = numpy.indices(SHAPE)
        values = numpy.sin(z / 3 + seed) + numpy.cos(y / 5) * numpy.sin(x / 4 * seed)
        values += numpy.random.default_rng(seed).normal(size=SHAPE) / 10
        values = values.astype(numpy.float32)
        values[3, 4, 5] = numpy.nan
        numpy.save(self.path(name), values)
        return values

    def show(self, *words, size=(1400, 900), language="en"):
        served = viewer.Viewer(self, "-q", *words)
        self.browser = webdriver.Browser(self.folder, size, language)
        self.addCleanup(self.browser.end)
        self.browser.open(served.address)
        self.settle()
        return served

    def settle(self):
        """Until every pane shows the slice that its bar names."""
        self.browser.wait("""const panes = [...document.querySelectorAll(".pane:not([hidden])")];
            return panes.length > 0 && panes.every((pane) =>
              pane.querySelector("canvas").dataset.shown === pane.querySelector("input").value);""")

    def shown(self, pane=1):
        return int(self.browser.run(f"return document.querySelector('{PANE.format(pane)}').dataset.shown"))

    def window(self, pane=1):
        text = self.browser.run(f"return document.querySelector('{PANE.format(pane)}').dataset.window")
        return tuple(map(float, text.split()))

    def pixels(self, pane=1):
        """The red values of a pane's canvas, as on the screen."""
        width, height, values = self.browser.run(f"""
            const canvas = document.querySelector('{PANE.format(pane)}');
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let text = "";
            for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i]);
            return [canvas.width, canvas.height, btoa(text)];""")
        return numpy.frombuffer(webdriver.base64.b64decode(values), numpy.uint8).reshape(height, width)

    def values(self):
        """The table of the cross-hair."""
        return dict(self.browser.run("""return [...document.querySelectorAll("#values tr")].map((row) =>
            [...row.cells].map((cell) => cell.textContent))"""))

    def set_window(self, low, high):
        for name, value in (("level", (low + high) / 2), ("width", high - low)):
            self.browser.run("""const input = document.getElementById(arguments[0]);
                input.value = arguments[1];
                if (arguments[0] === "width") input.dispatchEvent(new Event("change"));""", name, repr(value))
        self.browser.wait(f"return document.querySelector('{PANE.format(1)}').dataset.window === '{low:g} {high:g}'",
                          what=f"window {low} {high}")

    def saved(self, name):
        """The picture that the page saves: [row][column]."""
        from PIL import Image
        self.browser.press("s")
        path, end = self.path(name), time.monotonic() + 120
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(os.path.exists(path), sorted(os.listdir(self.folder)))
        with Image.open(path) as picture:
            pixels = numpy.asarray(picture.convert("RGB"))
        os.remove(path)
        self.assertTrue((pixels == pixels[..., :1]).all())
        return pixels[..., 0]

    def choose(self, text):
        self.browser.run("""[...document.querySelectorAll("header button")].find((button) =>
            button.textContent === arguments[0]).click()""", text)
        self.settle()

    def wait_shown(self, index, pane=1):
        self.browser.wait(f"return document.querySelector('{PANE.format(pane)}').dataset.shown === '{index}'",
                          what=f"slice {index} in pane {pane}")

    def test_slices_windows_pictures(self):
        self.show("first.npy")
        self.assertEqual([self.shown(pane) for pane in (1, 2, 3)], [size // 2 for size in SHAPE])
        before = self.pixels()
        self.browser.wheel(PANE.format(1), 120)
        self.wait_shown(13)
        self.assertFalse((self.pixels() == before).all())
        self.browser.wheel(PANE.format(1), -120)
        self.wait_shown(12)
        self.assertTrue((self.pixels() == before).all())

        low, high = self.window()
        self.browser.pointer(PANE.format(1), ("move", 0, 0), ("down",), ("move", 60, 0), ("up",))
        wide = self.window()
        self.assertGreater(wide[1] - wide[0], 1.1 * (high - low))
        self.assertAlmostEqual(wide[0] + wide[1], low + high, 6)
        self.assertFalse((self.pixels() == before).all())
        self.browser.pointer(PANE.format(1), ("move", 0, 0), ("down",), ("move", 0, -60), ("up",))
        bright = self.window()
        self.assertAlmostEqual(bright[1] - bright[0], wide[1] - wide[0], 6)
        self.assertLess(sum(bright), sum(wide))
        self.assertEqual(self.shown(), 12)
        self.browser.press("f")
        finite = self.first[numpy.isfinite(self.first)].astype(float)
        self.browser.wait("return document.getElementById('preset').value === 'Full range'")
        self.assertEqual(self.window(), (finite.min(), finite.max()))

        self.set_window(-0.75, 1.25)
        for axis, name in ((0, "z"), (1, "y"), (2, "x")):
            for index in (3 + axis, SHAPE[axis] - 1):
                self.browser.press(str(axis + 1), HOME, *[DOWN] * index if index < 9 else END)
                self.wait_shown(index, axis + 1)
                picture = self.saved(f"first-{name}-{index}.png")
                numpy.testing.assert_array_equal(picture, grey(numpy.take(self.first, index, axis), -0.75, 1.25))
        self.assertEqual(self.browser.complaints(), [])

    def test_saved_while_the_next_slice_is_fetched(self):
        """The name says which slice the picture is."""
        self.show("first.npy")
        self.set_window(-0.75, 1.25)
        self.browser.run("window.fetch = () => new Promise(() => {})")
        self.browser.press(HOME)
        self.browser.wait("return document.querySelector('.pane input').value === '0'")
        self.assertEqual(self.shown(), 12)
        numpy.testing.assert_array_equal(self.saved("first-z-12.png"), grey(self.first[12], -0.75, 1.25))

    def test_cross_hair(self):
        self.show("first.npy")
        box = self.browser.run(f"""const canvas = document.querySelector('{PANE.format(1)}');
            return [canvas.clientWidth, canvas.clientHeight]""")
        scale = min(box[0] / SHAPE[2], box[1] / SHAPE[1])
        place = [round((column + 0.5 - size / 2) * scale) for column, size in ((9, SHAPE[2]), (30, SHAPE[1]))]
        self.browser.pointer(PANE.format(1), ("move", *place), ("down",), ("up",))
        self.wait_shown(30, 2)
        self.wait_shown(9, 3)
        shown = self.values()
        self.assertEqual((shown["z"], shown["y"], shown["x"]), ("12", "30", "9"))
        self.assertAlmostEqual(float(shown["value"]), self.first[12, 30, 9], 3)
        self.browser.run("const input = document.querySelector('.pane:nth-child(1) input');"
                         "input.value = 3; input.dispatchEvent(new Event('input'))")
        self.wait_shown(3)
        with_lines = self.pixels(2)
        self.browser.press("x")
        self.browser.wait("return document.getElementById('cross').getAttribute('aria-pressed') === 'false'")
        self.assertFalse((self.pixels(2) == with_lines).all())

    def test_side_by_side(self):
        self.show("first.npy", "second.npy")
        self.assertEqual([self.shown(pane) for pane in (1, 2, 3)], [12, 12, 12])
        self.browser.press(DOWN, DOWN)
        for pane in (1, 2, 3):
            self.wait_shown(14, pane)
        shown = self.values()
        self.assertAlmostEqual(float(shown["A − B"].replace("−", "-")),
                               float(self.first[14, 20, 16]) - float(self.second[14, 20, 16]), 3)
        self.browser.pointer(PANE.format(3), ("move", 20, 20), ("down",), ("up",))
        self.settle()
        low, high = self.window(3)
        self.assertAlmostEqual(low, -high)
        picture = self.saved("difference-z-14.png")
        numpy.testing.assert_array_equal(picture, grey(self.first[14] - self.second[14], low, high))
        self.browser.press("2")
        self.settle()
        self.browser.press(HOME)
        self.wait_shown(0, 2)
        numpy.testing.assert_array_equal(self.saved("first-y-0.png"), grey(self.first[:, 0], *self.window()))
        self.browser.press("d", "a")
        self.settle()
        picture = self.saved("second-z-14.png")
        numpy.testing.assert_array_equal(picture, grey(self.second[14], *self.window()))
        self.assertEqual(self.browser.complaints(), [])

    def test_profile(self):
        self.show("first.npy")
        plot = """const canvas = document.getElementById("profile-plot");
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let blue = 0;
            for (let i = 0; i < data.length; i += 4) blue += data[i + 2] > 200 && data[i] < 200;
            return blue;"""
        self.assertEqual(self.browser.run(plot), 0)
        self.browser.pointer(PANE.format(1), ("move", -90, -40), ("down",), ("move", 90, 60), ("up",), keys=[SHIFT])
        self.assertGreater(self.browser.wait(plot), 100)
        self.assertEqual(self.shown(), 12)

    def test_keys(self):
        self.show("first.npy")
        self.browser.press(UP)
        self.wait_shown(11)
        self.browser.press(PAGE_DOWN)
        self.wait_shown(21)
        self.browser.press(PAGE_DOWN)
        self.wait_shown(23)
        self.browser.press(HOME)
        self.wait_shown(0)
        visible = "[...document.querySelectorAll('.pane')].filter((pane) => pane.clientHeight > 0).length"
        for number in (1, 3):
            self.browser.press("m")
            self.browser.wait(f"return {visible} === {number}", what=f"{number} panes")
        self.browser.press("h")
        self.browser.wait("return document.getElementById('help').open")
        self.browser.press(ESCAPE)
        self.browser.wait("return !document.getElementById('help').open")

    def test_mask(self):
        classes = numpy.zeros(SHAPE, numpy.float32)
        classes[:, :, SHAPE[2] // 2:] = 1
        numpy.save(self.path("mask.npy"), classes)
        self.show("first.npy", "--mask", "mask.npy")
        self.set_window(100, 101)  # all black below it
        self.browser.press("x")
        red = round(128 * 115 / 255)
        coloured = f"""const canvas = document.querySelector('{PANE.format(1)}');
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let num = 0;
            for (let i = 0; i < data.length; i += 4)
              if (Math.abs(data[i] - {red}) < 3 && data[i + 1] < 3 && data[i + 2] < 3) ++num;
            return [num, canvas.clientWidth, canvas.clientHeight, canvas.width / canvas.clientWidth];"""
        self.browser.wait(f"{coloured.replace('return [num', 'return num > 0 && [num')}")
        num, width, height, ratio = self.browser.run(coloured)
        half = SHAPE[1] * SHAPE[2] / 2 * (min(width / SHAPE[2], height / SHAPE[1]) * ratio) ** 2
        self.assertAlmostEqual(num / half, 1, delta=0.02)
        self.assertEqual(self.values()["Mask"], "1")
        self.assertEqual(self.saved("first-z-12.png").max(), 0)  # the numbers alone
        self.browser.press("o")
        self.browser.wait(f"{coloured.replace('return [num', 'return num === 0 && [num')}")
        self.assertEqual(self.browser.complaints(), [])

    def test_scan(self):
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 32, "--projections", 24)
        self.tomo("reconstruct", "-q", "scan.h5", "-o", "volume.h5")
        self.show("volume.h5", "scan.h5")
        self.assertEqual([self.shown(pane) for pane in (1, 2, 3, 4)], [16] * 4)
        self.browser.press(UP, UP)
        self.wait_shown(14)
        self.wait_shown(14, 4)  # the sinogram of the slice
        self.browser.pointer(PANE.format(4), ("move", 0, 0), ("down",), ("up",))
        self.settle()
        low, high = self.window(4)
        numpy.testing.assert_array_equal(self.saved("scan-row-14.png"), grey(self.read("scan.h5")[:, 14], low, high))
        self.assertEqual(self.browser.complaints(), [])

    def test_large(self):
        """Every slice that the wheel asks for in 512 x 512 x 512 is drawn; prints how soon."""
        size = 512
        ramp = numpy.arange(size, dtype=numpy.float32)
        values = numpy.lib.format.open_memmap(self.path("large.npy"), "w+", numpy.float32, 3 * (size,))
        for z in range(size):
            values[z] = z + ramp[:, None] * ramp[None] / size
        values.flush()
        del values
        self.show("large.npy")
        for pane in (1, 2, 3):
            self.browser.run("""
                const canvas = document.querySelector(arguments[0]), times = [];
                window.times = null;
                const next = () => {
                  if (times.length === 50) return window.times = times;
                  const begin = performance.now(), before = canvas.dataset.shown;
                  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 120, bubbles: true, cancelable: true}));
                  const look = () => {
                    if (canvas.dataset.shown === before) return requestAnimationFrame(look);
                    times.push(performance.now() - begin);
                    next();
                  };
                  look();
                };
                next();""", PANE.format(pane))
            self.browser.wait("return window.times !== null", what="50 slices")
            times = sorted(self.browser.run("return window.times"))
            self.assertEqual(self.shown(pane), size // 2 + 50)
            print(f"large: pane {pane}: {times[25]:.0f} ms a slice, at most {times[-1]:.0f}")

    def test_end_is_said(self):
        served = self.show("first.npy")
        served.end()
        self.browser.press(END)
        self.browser.wait("return document.getElementById('problem').textContent.includes('does not answer')")

    @support.unittest.skipUnless("VERSHINA_PICTURES" in os.environ, "")
    def test_pictures(self):
        """The pictures of the documents."""
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 256, "--rows", 256, "--projections", 180)
        self.tomo("reconstruct", "-q", "scan.h5", "-o", "fbp.h5")
        self.tomo("reconstruct", "-q", "scan.h5", "-a", "hfbp", "--quality", "fast", "-o", "hfbp.h5")
        for name, words in (("planes", ("fbp.h5", "scan.h5")), ("difference", ("fbp.h5", "hfbp.h5"))):
            self.show(*words, size=(1240, 800))
            self.browser.pointer(PANE.format(1), ("move", 30, -60), ("down",), ("up",))
            self.browser.pointer(PANE.format(1), ("move", -110, 0), ("down",), ("move", 110, 0), ("up",), keys=[SHIFT])
            self.browser.press(*([DOWN] * 6))
            self.settle()
            time.sleep(1)
            save_small(self.browser.screenshot(), os.path.join(os.environ["VERSHINA_PICTURES"], f"viewer-{name}.png"))
            self.browser.end()


if __name__ == "__main__":
    if lacking := webdriver.missing():
        print(f"skip: tomo: {lacking}")
        sys.exit(77)
    viewer.skip_without()
    support.main()
