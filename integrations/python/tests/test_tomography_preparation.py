"""vershina.tomography before the reconstruction: each step against its definition in NumPy, the axis of rotation
against where it was put, and arguments that must be refused.
"""

import numpy as np
import pytest

from test_tomography import ANGLES, BINS, THETA, chord, disc, tomography

SCAN = (7, 5, 40)


def scan(seed=1, shape=SCAN, least=0.1, most=1.0):
    return np.random.default_rng(seed).uniform(least, most, shape).astype(np.float32)


def test_counts_become_line_integrals():
    generator = np.random.default_rng(2)
    counts = generator.integers(100, 60000, SCAN).astype(np.uint16)
    flat = generator.integers(40000, 60000, (4, *SCAN[1:])).astype(np.uint16)
    dark = generator.integers(0, 90, (3, *SCAN[1:])).astype(np.uint16)
    flat[:, 2, 7] = dark[:, 2, 7].max()
    dark[:, 2, 7] = dark[:, 2, 7].max()  # this bin is dead
    white, black = flat.mean(0), dark.mean(0)
    transmission = tomography.normalize(counts, flat, dark)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (counts - black) / np.where(white > black, white - black, np.nan)
    np.testing.assert_allclose(transmission, expected, rtol=2e-6)
    assert np.isnan(transmission[:, 2, 7]).all() and np.isnan(transmission).sum() == SCAN[0]
    np.testing.assert_allclose(tomography.normalize(counts, white.astype(np.float32)), counts / white, rtol=1e-6)

    filled = tomography.fill_gaps(transmission)
    expected[:, 2, 7] = (expected[:, 2, 6] + expected[:, 2, 8]) / 2
    np.testing.assert_allclose(filled, expected, rtol=2e-6)
    half = (0.5 / np.maximum(white - black, 1)).astype(np.float32)
    for least in (1e-6, 0.25, half, half.T.copy().T, half[0]):
        integrals = tomography.minus_log(filled, least)
        np.testing.assert_allclose(integrals, -np.log(np.maximum(filled, least)), rtol=1e-5, atol=1e-6)
    assert tomography.minus_log(filled, out=filled) is filled and np.array_equal(filled, tomography.minus_log(
        tomography.fill_gaps(transmission)))


def test_gaps():
    tomo = scan()
    tomo[0, 0, [0, 1, 9, 10, 39]] = [np.nan, np.inf, -np.inf, np.nan, np.nan]
    tomo[1, 1] = np.nan
    filled = tomography.fill_gaps(tomo)
    good = np.isfinite(tomo[0, 0])
    place = np.arange(SCAN[2])
    np.testing.assert_allclose(filled[0, 0], np.interp(place, place[good], tomo[0, 0, good]), rtol=1e-6)
    assert np.isnan(filled[1, 1]).all() and np.isnan(tomo[0, 0, 0])  # nothing to fill it from; the input stays
    np.testing.assert_array_equal(filled[2:], tomo[2:])


def test_phase():
    tomo, pixel = scan(shape=(2, 20, 30)), 0.01
    numbers = {"delta_beta": 500.0, "energy_kev": 20.0, "distance_mm": 50.0, "pixel_mm": pixel}
    wave = 12.398419843 / 20 * 1e-7  # h c / E in millimetres
    edge = 49  # more than the filter reaches
    padded = np.pad(tomo.astype(float), ((0, 0), (edge, edge), (edge, edge)), "edge")
    v, u = np.meshgrid(*(np.fft.fftfreq(n) / pixel for n in padded.shape[1:]), indexing="ij")
    spectrum = np.fft.fft2(padded) / (1 + np.pi * wave * 50 * 500 * (u * u + v * v))
    expected = np.fft.ifft2(spectrum).real[:, edge:-edge, edge:-edge]
    for threads in (1, 0):
        retrieved = tomography.retrieve_phase(tomo, **numbers, threads=threads)
        np.testing.assert_allclose(retrieved, expected, atol=2e-3)
    assert np.abs(tomo - expected).max() > 0.2


def test_zingers():
    tomo = scan(least=1.0, most=1.05)
    tomo[3, 2, 20] = tomo[0, 1, 0] = 0.2  # far more light than around them
    mended = tomography.remove_zingers(tomo, 0.3, threads=0)
    assert mended[3, 2, 20] == np.median(tomo[2:5, 2, 19:22])
    assert mended[0, 1, 0] == np.sort(tomo[:2, 1, :2].ravel())[2]
    changed = np.argwhere(mended != tomo)
    assert changed.tolist() == [[0, 1, 0], [3, 2, 20]]


def test_stripes_by_sorting():
    tomo = scan(shape=(30, 3, 40))
    for window, half in ((9, 4), (None, 2)):
        mended = tomography.remove_stripes(tomo, window=window, threads=2)
        for row in range(3):
            order = np.argsort(tomo[:, row], axis=0, kind="stable")
            ranks = np.take_along_axis(tomo[:, row], order, 0)
            near = np.lib.stride_tricks.sliding_window_view(np.pad(ranks, ((0, 0), (half, half)), "symmetric"),
                                                            2 * half + 1, axis=1)
            expected = np.empty_like(ranks)
            np.put_along_axis(expected, order, np.median(near, axis=2), 0)
            np.testing.assert_array_equal(mended[:, row], expected)


def test_stripes_by_wavelets():
    theta = np.linspace(0, np.pi, 256, endpoint=False)
    places = np.random.default_rng(4).uniform((-15, -12, 1), (15, 12, 4), (40, 3))
    clean = np.sum([disc(theta, x, y, radius) for x, y, radius in places], 0)
    stripes = np.zeros(BINS, np.float32)
    bins = np.array([10, 23, 35])
    stripes[bins] = [2.0, -1.5, 2.0]

    def contrast(tomo):
        mean = tomo.mean(0)[0]
        return np.abs(mean[bins] - (mean[bins - 1] + mean[bins + 1]) / 2)

    for sigma in (1.0, 4.0):
        striped, kept = (tomography.remove_stripes(tomo, method="wavelet", sigma=sigma)
                         for tomo in (clean + stripes, clean))
        assert (contrast(striped - kept) < 0.5 * np.abs(stripes[bins])).all()  # the rest of them: it is linear
        assert np.abs(kept - clean).mean() < clean.mean() / 20
    # Only values that are the same at all angles are damped.
    mended = tomography.remove_stripes(clean, method="wavelet", sigma=1e-3)
    np.testing.assert_allclose(mended - mended.mean(0), clean - clean.mean(0), atol=1e-3)


def test_center():
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    for center in (21.25, 23.5, 26.0):
        tomo = np.concatenate([disc(center=center, x=x, y=y, radius=r)
                               for x, y, r in ((6, 4, 7), (-3, -8, 3), (2, -5, 2))], 1).sum(1, keepdims=True)
        for method in ("auto", "fourier", "correlation", "mass"):
            found = tomography.find_center(tomo, THETA, method=method)
            assert abs(found.center - center) < (0.6 if method == "correlation" else 0.3), method
            assert 0.1 < found.confidence <= 1
    rows = np.repeat(disc(center=20.0), 3, 1)
    rows[:, 1] = disc(center=26.0)[:, 0]
    assert abs(tomography.find_center(rows, THETA, method="mass").center - 26) < 0.1  # the middle row
    assert abs(tomography.find_center(rows, THETA, 2, method="mass").center - 20) < 0.1

    distance, center = 90.0, 25.5
    s = np.arange(BINS) - center
    fan = 0
    for x0, y0, radius in ((6, 4, 7), (-3, -8, 3)):
        x, y = x0 * np.cos(turn) + y0 * np.sin(turn), -x0 * np.sin(turn) + y0 * np.cos(turn)
        away = np.abs(distance * (x[:, None] - s) - s * y[:, None]) / np.hypot(distance, s)
        fan = fan + chord(away, radius)
    fan = np.ascontiguousarray(fan[:, None], np.float32)
    for method in ("auto", "opposite", "symmetry"):
        found = tomography.find_center(fan, turn, source_distance=distance, method=method)
        assert abs(found.center - center) < 0.5, method


def test_outputs():
    tomo = scan()
    view = scan(3, (7, 9, 80))[:, 2:7, ::2]  # gaps do not matter where a copy is made
    room = np.empty(SCAN, np.float32)
    assert tomography.minus_log(view, out=room) is room
    np.testing.assert_array_equal(room, tomography.minus_log(np.ascontiguousarray(view)))
    kept = tomo.copy()
    tomography.minus_log(tomo)
    np.testing.assert_array_equal(tomo, kept)
    for out in (np.empty(SCAN, np.float64), np.empty((7, 5, 39), np.float32), view, tomo[:, :, ::-1], [1.0]):
        with pytest.raises((ValueError, TypeError), match="out"):
            tomography.minus_log(tomo, out=out)
    tomo.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        tomography.minus_log(tomo, out=tomo)


@pytest.mark.parametrize(
    "message, call",
    [
        ("tomo", lambda: tomography.normalize(scan()[0], scan()[0])),
        ("tomo", lambda: tomography.normalize(scan().tolist(), scan()[0])),
        ("flat", lambda: tomography.normalize(scan(), scan()[0, 1:])),
        ("flat", lambda: tomography.normalize(scan(), scan()[:0])),
        ("flat", lambda: tomography.normalize(scan(), "white")),
        ("dark", lambda: tomography.normalize(scan(), scan(), scan()[:, :, 1:])),
        ("least", lambda: tomography.minus_log(scan(), np.ones(3))),
        ("least", lambda: tomography.minus_log(scan(), "half")),
        ("out of range", lambda: tomography.minus_log(scan(), 0.0)),
        ("out of range", lambda: tomography.minus_log(scan(), float("nan"))),
        ("out of range", lambda: tomography.remove_zingers(scan(), -1.0)),
        ("threshold", lambda: tomography.remove_zingers(scan(), float("nan"))),
        ("threshold", lambda: tomography.remove_zingers(scan(), None)),
        ("method", lambda: tomography.remove_stripes(scan(), method="fw")),
        ("window", lambda: tomography.remove_stripes(scan(), window=2)),
        ("out of range", lambda: tomography.remove_stripes(scan(), method="wavelet", sigma=0.0)),
        ("threads", lambda: tomography.remove_stripes(scan(), threads=-1)),
        ("out of range", lambda: tomography.retrieve_phase(scan(), delta_beta=1e9, energy_kev=1e-3, distance_mm=1e9,
                                                           pixel_mm=1e-9)),
        ("pixel_mm", lambda: tomography.retrieve_phase(scan(), delta_beta=1.0, energy_kev=1.0, distance_mm=1.0,
                                                       pixel_mm=float("inf"))),
        ("angles", lambda: tomography.find_center(disc(), THETA[1:])),
        ("row", lambda: tomography.find_center(disc(), THETA, 1)),
        ("row", lambda: tomography.find_center(disc(), THETA, -1)),
        ("method", lambda: tomography.find_center(disc(), THETA, method="vo")),
        ("does not exist", lambda: tomography.find_center(disc(), THETA, method="opposite")),
        ("does not exist", lambda: tomography.find_center(disc(), THETA, method="mass", source_distance=90.0)),
        ("cannot be found", lambda: tomography.find_center(disc(THETA[:5]), THETA[:5])),
        ("cannot be found", lambda: tomography.find_center(np.zeros((ANGLES, 1, BINS), "f4"), THETA, method="mass")),
        ("source", lambda: tomography.find_center(disc(), THETA, source_distance=-1.0)),
    ],
)
def test_refusals(message, call):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_is_no_number_is_refused():
    """Sorting and transforms need an order, and sums."""
    for value in (np.nan, np.inf, -np.inf):
        tomo = disc()
        tomo[3, 0, 4] = value
        for call in (
            lambda: tomography.remove_zingers(tomo, 0.3),
            lambda: tomography.remove_stripes(tomo),
            lambda: tomography.remove_stripes(tomo, method="wavelet"),
            lambda: tomography.retrieve_phase(tomo, delta_beta=1.0, energy_kev=20.0, distance_mm=1.0, pixel_mm=1.0),
            lambda: tomography.find_center(tomo, THETA),
        ):
            with pytest.raises(ValueError, match="not a finite number"):
                call()
