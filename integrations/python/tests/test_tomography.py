"""vershina.tomography: phantoms whose projections are known, the pair's adjointness, filters by their definition, and
arguments that must be refused.
"""

import copy
import subprocess
import sys
import threading

import numpy as np
import pytest

tomography = pytest.importorskip(
    "vershina.tomography", reason="vershina.tomography was not built", exc_type=ImportError
)

BINS, ANGLES = 48, 80
THETA = np.linspace(0, np.pi, ANGLES, endpoint=False)


def chord(distance, radius):
    return 2 * np.sqrt(np.maximum(radius * radius - distance * distance, 0))


def disc(theta=None, x=6.0, y=4.0, radius=9.0, center=(BINS - 1) / 2, slices=1):
    """Projections of discs at (x, y), the z-th of density z + 1; each bin the mean of 8 rays."""
    theta = THETA if theta is None else theta
    rays = np.arange(BINS)[:, None] - center + (np.arange(8) - 3.5) / 8
    middle = (x * np.cos(theta) + y * np.sin(theta))[:, None, None]
    one = chord(rays - middle, radius).mean(2)
    return np.ascontiguousarray(one[:, None] * np.arange(1, slices + 1)[:, None], np.float32)


def within(image, x, y, radius):
    """Pixels of the image at most radius from (x, y)."""
    n = len(image)
    place = np.arange(n) - (n - 1) / 2
    return image[np.hypot(place[None, :] - x, -place[:, None] - y) <= radius]


def is_disc(image, density=1.0, x=6.0, y=4.0, tolerance=0.03):
    """The disc is where it was put, and nothing is in the other three quadrants."""
    inside = within(image, x, y, 6).mean()
    outside = max(abs(within(image, *place, 2).mean()) for place in ((-x, y), (x, -y - 6), (-x, -y)))
    return abs(inside - density) < tolerance * density and outside < tolerance * density


@pytest.mark.parametrize(
    "options, tolerance",
    [
        ({}, 0.03),
        ({"filter_name": "hann", "interpolation": "cubic"}, 0.03),
        ({"algorithm": "dfr", "filter_name": "shepp"}, 0.03),
        ({"algorithm": "hfbp"}, 0.03),
        ({"algorithm": "hfbp", "quality": "fast"}, 0.06),
        ({"algorithm": "hfbp", "padding": "edges"}, 0.03),
        ({"algorithm": "sirt", "nonnegative": True}, 0.05),
        ({"algorithm": "cgls", "num_iter": 15}, 0.03),
        ({"algorithm": "tv", "num_iter": 100}, 0.05),
        ({"angle_weights": "uniform", "padding": "edges", "circle": False, "threads": 0}, 0.03),
    ],
)
def test_disc(options, tolerance):
    volume = tomography.recon(disc(slices=2), THETA, **options)
    assert volume.dtype == np.float32 and volume.shape == (2, BINS, BINS)
    assert is_disc(volume[0], 1, tolerance=tolerance) and is_disc(volume[1], 2, tolerance=tolerance)
    corner_is_zero = volume[0, 0, 0] == 0
    assert corner_is_zero == (options.get("circle", True) or bool(options.get("nonnegative")))


def test_center_size_and_angles():
    theta = THETA[::-1] + 40 * np.pi
    shifted = disc(theta, center=26.25)
    assert is_disc(tomography.recon(shifted, theta, 26.25)[0])
    assert not is_disc(tomography.recon(shifted, theta)[0])
    larger = tomography.recon(shifted, list(theta), center=26.25, output_size=60)
    assert larger.shape == (1, 60, 60)
    turn = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    assert is_disc(tomography.recon(disc(turn), turn)[0])


def test_axis_off_the_middle():
    turn = np.linspace(0, 2 * np.pi, 160, endpoint=False)
    part = np.ascontiguousarray(disc(turn)[:, :, 18:])
    options = {"center": (BINS - 1) / 2 - 18, "output_size": BINS}
    assert is_disc(tomography.recon(part, turn, **options)[0])
    assert is_disc(tomography.recon(part, turn, displaced=True, **options)[0])
    assert not is_disc(tomography.recon(part, turn, displaced=False, **options)[0])


def test_fan_and_cone():
    turn, distance = np.linspace(0, 2 * np.pi, 120, endpoint=False), 40.0
    s = np.arange(BINS) - (BINS - 1) / 2
    # Source R (sin, -cos), bin s (cos, sin): the distance of the disc's middle from the line through both.
    x, y = 6 * np.cos(turn) + 4 * np.sin(turn), -6 * np.sin(turn) + 4 * np.cos(turn)
    away = np.abs(distance * (x[:, None] - s) - s * y[:, None]) / np.hypot(distance, s)
    fan = np.ascontiguousarray(chord(away, 9.0)[:, None], np.float32)
    parallel = tomography.recon(disc(turn), turn)
    reconstructed = tomography.recon(fan, turn, beam="fan", source_distance=distance)
    assert is_disc(reconstructed[0]) and np.abs(reconstructed - parallel).mean() < 0.012
    assert np.abs(tomography.recon(fan, turn) - parallel).mean() > 0.025  # as if it were parallel

    distance, rows = 150.0, np.arange(20) - 9.5  # a ball of radius 8 in the middle
    away = distance * np.hypot(s, rows[:, None]) / np.sqrt(distance**2 + s**2 + rows[:, None] ** 2)
    cone = np.repeat(chord(away, 8.0)[None].astype(np.float32), len(turn), axis=0)
    volume = tomography.recon(cone, turn, beam="cone", source_distance=distance, depth=8)
    assert volume.shape == (8, BINS, BINS) and abs(within(volume[3], 0, 0, 5).mean() - 1) < 0.05


def test_steps_make_the_whole():
    tomo = disc(slices=3)
    plan = tomography.Plan(THETA, BINS)
    assert plan.size == BINS and plan.batch > 0 and plan.memory(3) > 0 and plan.kernel in tomography.kernels()
    assert repr(plan) == "<vershina tomography parallel fbp, 80 angles of 48 bins>"
    whole = plan.recon(tomo)
    rows = plan.filter_rows(tomo) * plan.weights[:, None, None].astype(np.float32)
    assert np.abs(plan.back_project(rows) - whole).max() < 0.1 * whole.max()
    assert is_disc(plan.back_project(rows)[0])


def test_weights():
    wedge = THETA[:60]
    assert tomography.Plan(THETA, 8).weights == pytest.approx(np.pi / ANGLES)
    assert tomography.Plan(wedge, 8, angle_weights="uniform").weights == pytest.approx(np.pi / 60)
    assert tomography.Plan(wedge, 8).weights.sum() < np.pi * 0.8
    twice = tomography.Plan([0, 0.5, 0.5 + np.pi, 2.0], 8).weights
    assert twice.sum() == pytest.approx(np.pi) and twice[1] == pytest.approx(twice[2])


def test_filter_is_the_ramp():
    tomo = np.zeros((1, 1, 33), np.float32)
    tomo[0, 0, 16] = 1
    k = np.arange(33) - 16
    ramp = np.zeros(33)
    ramp[k % 2 == 1] = -1 / (np.pi * k[k % 2 == 1]) ** 2
    ramp[16] = 0.25
    plan = tomography.Plan([0.0], 33)
    assert np.abs(plan.filter_rows(tomo)[0, 0] - ramp).max() < 1e-6
    assert plan.filter_rows(tomo, out=tomo) is tomo and np.abs(tomo[0, 0] - ramp).max() < 1e-6


def test_pair_is_adjoint():
    random = np.random.default_rng(1)
    volume = random.random((3, 40, 40), np.float32)
    tomo = random.random((ANGLES, 3, BINS), np.float32)
    plan = tomography.Plan(THETA, BINS, 22.5, output_size=40)
    forth = np.vdot(plan.project(volume).astype(np.float64), tomo)
    back = np.vdot(volume, plan.back_project(tomo).astype(np.float64))
    assert forth == pytest.approx(back, rel=1e-6)
    assert np.array_equal(tomography.project(volume, THETA, 22.5, num_bins=BINS), plan.project(volume))
    # Straight on, the projection of a whole square is the sums of its columns.
    straight = tomography.project(volume, [0.0], circle=False)[0]
    assert np.abs(straight - volume.sum(1)).max() < 1e-4


def test_views_blocks_and_outputs():
    plan = tomography.Plan(THETA, BINS)
    many = plan.batch + 5  # more than a block of one thread
    tomo = disc(slices=many)
    whole = plan.recon(tomo)
    assert is_disc(whole[-1], many)
    for view in (slice(0, 1), slice(3, 9), slice(many - 2, many)):
        assert np.abs(plan.recon(tomo[:, view]) - whole[view]).max() < 1e-5 * many
    out = np.full_like(whole, np.nan)
    assert plan.recon(tomo, out) is out and np.array_equal(out, whole)
    assert np.array_equal(tomography.recon(tomo, THETA, kernel=plan.kernel, threads=2), whole)
    tomo.setflags(write=False)
    assert np.array_equal(plan.recon(tomo), whole)
    every_second = tomo[::2]
    assert is_disc(tomography.recon(every_second, THETA[::2], num_iter=None)[0], tolerance=0.05)


def test_threads_and_copies():
    plan = tomography.Plan(THETA, BINS, algorithm="cgls", num_iter=3)
    tomo = disc(slices=2)
    right, wrong = plan.recon(tomo), []

    def work():
        for _ in range(5):
            if not np.array_equal(plan.recon(tomo), right):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    shallow = copy.copy(plan)
    del plan
    assert np.array_equal(shallow.recon(tomo), right)
    with pytest.raises(TypeError):
        copy.deepcopy(shallow)


@pytest.mark.parametrize(
    "message, arguments",
    [
        ("theta", {"theta": []}),
        ("theta", {"theta": 0.5}),
        ("theta", {"theta": [[0.0, 1.0]]}),
        ("theta", {"theta": [0.0, float("nan")]}),
        ("theta", {"theta": [0.0, float("inf")]}),
        ("theta", {"theta": [1e7]}),
        ("theta", {"theta": ["0"]}),
        ("theta", {"theta": [1j]}),
        ("theta", {"theta": None}),
        ("theta", {"theta": range(65537)}),
        ("num_bins", {"num_bins": 0}),
        ("num_bins", {"num_bins": -1}),
        ("num_bins", {"num_bins": 65537}),
        ("num_bins", {"num_bins": 1 << 64}),  # no value is cut to the ABI's type
        ("num_bins", {"num_bins": (1 << 64) + 48}),
        ("num_bins", {"num_bins": 48.0}),
        ("num_bins", {"num_bins": None}),
        ("center", {"center": float("nan")}),
        ("center", {"center": "middle"}),
        ("center", {"center": 10**400}),
        ("axis", {"center": 1e9}),
        ("axis", {"center": BINS}),
        ("axis", {"center": -1.0}),
        ("algorithm", {"algorithm": "gridrec"}),
        ("algorithm", {"algorithm": 1}),
        ("algorithm", {"algorithm": ["fbp"]}),
        ("filter_name", {"filter_name": "none"}),
        ("does not exist", {"algorithm": "hfbp", "filter_name": "cosine"}),
        ("interpolation", {"interpolation": "nearest"}),
        ("quality", {"quality": ""}),
        ("angle_weights", {"angle_weights": None}),
        ("padding", {"padding": "mirror"}),
        ("output_size", {"output_size": 0}),
        ("output_size", {"output_size": 65537}),
        ("num_iter", {"num_iter": 0}),
        ("num_iter", {"num_iter": (1 << 32) + 1}),
        ("relaxation", {"relaxation": float("nan")}),
        ("relaxation", {"relaxation": None}),
        ("relaxation", {"algorithm": "sirt", "relaxation": 2.0}),
        ("weight", {"tv_weight": -1.0}),
        ("num_iter", {"num_iter": -1}),
        ("threads", {"threads": -1}),
        ("threads", {"threads": None}),
        ("threads", {"threads": 1 << 32}),
        ("kernel", {"kernel": "no_such_kernel"}),
        ("kernel", {"kernel": "portable\0"}),
        ("kernel", {"kernel": b"portable"}),
        ("kernel", {"kernel": "\ud800"}),  # cannot be encoded
        ("beam", {"beam": "pencil", "source_distance": 100.0}),
        ("source_distance", {"beam": "fan"}),
        ("source_distance", {"source_distance": 100.0}),
        ("source", {"beam": "fan", "source_distance": -1.0}),
        ("source", {"beam": "fan", "source_distance": 1.0}),
        ("cover", {"theta": [3.0], "beam": "fan", "source_distance": 100.0, "algorithm": "hfbp"}),
        ("num_rows", {"beam": "cone", "source_distance": 100.0}),
        ("num_rows", {"num_rows": 4}),
        ("num_rows", {"beam": "cone", "source_distance": 100.0, "num_rows": 0}),
        ("depth", {"depth": 4}),
        ("does not exist", {"beam": "cone", "source_distance": 100.0, "num_rows": 4, "algorithm": "dfr"}),
    ],
)
def test_plans_that_are_refused(message, arguments):
    with pytest.raises(ValueError, match=message) as caught:
        tomography.Plan(**{"theta": THETA, "num_bins": BINS, **arguments})
    assert "\n" not in str(caught.value)


def bad_arrays(good):
    """Arrays that must not be taken instead of `good`, which has three dimensions."""
    gaps = np.zeros(good.shape[:2] + (2 * good.shape[2],), np.float32)[:, :, ::2]
    yield "float64", good.astype(np.float64)
    yield "int32", good.astype(np.int32)
    yield ">f4", good.astype(">f4" if sys.byteorder == "little" else "<f4")
    yield "object", good.astype(object)
    yield "two dimensions", good[:, 0]
    yield "four dimensions", good[None]
    yield "no slices", good[:, :0]
    yield "no first", good[:0]
    yield "no last", good[:, :, :0]
    yield "one less", good[:, :, 1:].copy()
    yield "gaps", gaps
    yield "Fortran's order", np.asfortranarray(good)
    yield "backwards", good[::-1, :, ::-1]
    yield "repeated", np.broadcast_to(good[:1, :1], good.shape)
    yield "unaligned", np.frombuffer(bytes(good.nbytes + 1), np.uint8)[1:].view(np.float32).reshape(good.shape)


@pytest.mark.parametrize("method", ["recon", "project", "back_project", "filter_rows"])
def test_arrays_that_are_refused(method):
    plan = tomography.Plan(THETA, BINS)
    good = np.zeros((2, BINS, BINS), np.float32) if method == "project" else disc(slices=2)
    function = getattr(plan, method)
    room = function(good)
    for what, bad in bad_arrays(good):
        with pytest.raises(ValueError) as caught:
            function(bad)
            pytest.fail(f"{method} takes an input: {what}")
        assert "\n" not in str(caught.value)
    for what, bad in bad_arrays(room):
        with pytest.raises(ValueError):
            function(good, out=bad)
            pytest.fail(f"{method} takes an output: {what}")
    for wrong in (None, [[[0.0]]], bytes(good.nbytes), memoryview(good)):
        with pytest.raises(TypeError, match="NumPy array"):
            function(wrong)
    room.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        function(good, out=room)
    memory = np.zeros(good.size + room.size, np.float32)
    first, last = memory[: good.size].reshape(good.shape), memory[good.size - 1 :][: room.size].reshape(room.shape)
    with pytest.raises(ValueError, match="overlaps"):
        function(first, out=last)


def test_scans_that_are_refused():
    tomo = disc(slices=2)
    for call in (
        lambda: tomography.recon(tomo, THETA[:-1]),
        lambda: tomography.recon(tomo[0], THETA),
        lambda: tomography.recon(tomo.tolist(), THETA),
        lambda: tomography.project(tomo[0], THETA),
        lambda: tomography.project(np.zeros((2, 8, 9), np.float32), THETA),
        lambda: tomography.project(np.zeros((2, 8, 8), np.float32), THETA, num_bins=0),
        lambda: tomography.recon(tomo, THETA, beam="cone", source_distance=150.0, num_rows=3),
        lambda: tomography.Plan(THETA, BINS, beam="fan", source_distance=150.0).project(tomo),
        lambda: tomography.Plan(THETA, BINS).memory(0),
        lambda: tomography.Plan(THETA, BINS).memory(-1),
        lambda: tomography.Plan(THETA, BINS).memory(1 << 64),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    with pytest.raises(TypeError, match="unexpected keyword"):
        tomography.recon(tomo, THETA, filter="hann")
    fan = tomography.Plan(np.linspace(0, 2 * np.pi, 90), BINS, beam="fan", source_distance=150.0)
    for step in (fan.back_project, fan.filter_rows):
        with pytest.raises(ValueError, match="beam"):
            step(np.zeros((90, 2, BINS), np.float32))


def test_options_that_may_be_none():
    names = ("displaced", "output_size", "num_iter", "source_distance", "num_rows", "source_row", "depth", "kernel")
    tomo = disc()
    same = tomography.recon(tomo, THETA, None, **dict.fromkeys(names))
    assert np.array_equal(same, tomography.recon(tomo, THETA))


def test_options_of_algorithms():
    assert tomography.options_of("tv") == ["num_iter", "tv_weight", "nonnegative"]
    assert "depth" in tomography.options_of("fbp", "cone") and "depth" not in tomography.options_of("fbp", beam="fan")
    assert tomography.options_of("dfr", "cone") == []
    for name in {name for algorithm in ("fbp", "hfbp", "sirt") for name in tomography.options_of(algorithm)}:
        assert name in tomography.Options.__annotations__
    for wrong in ({"algorithm": None}, {"algorithm": "gridrec"}, {"algorithm": "fbp", "beam": "pencil"}):
        with pytest.raises(ValueError, match="is not one of"):
            tomography.options_of(**wrong)


def test_the_extension_takes_no_other_arrays():
    """Below the checks that word the errors: nothing is converted, read or written beyond an array's end."""
    plan, tomo, volume = tomography.Plan(THETA, BINS), disc(slices=2), np.zeros((2, BINS, BINS), np.float32)
    frozen = volume.copy()
    frozen.setflags(write=False)
    for out in (volume.astype(np.float64), volume[:, :, ::-1], frozen, volume[0], None):
        with pytest.raises(TypeError):
            plan._recon(out, tomo)
        with pytest.raises(TypeError):
            plan._back_project(out, tomo, 2)
    for source in (tomo[:-1], tomo[:, :1], tomo[:, :, :-1].copy()):
        with pytest.raises(ValueError, match="size"):
            plan._recon(volume, source)
    for source in (tomo[::-1], tomo[:, ::-1], tomo[:, :, ::-1], np.broadcast_to(tomo[:1], tomo.shape)):
        with pytest.raises(ValueError, match="gaps"):
            plan._recon(volume, source)
    for num_slices in (0, 3, (1 << 64) - 1):
        with pytest.raises(ValueError, match="size"):
            plan._back_project(volume, tomo, num_slices)


def test_too_large_is_no_crash():
    code = (
        "import resource, numpy as np\nfrom vershina import tomography\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "try: tomography.Plan(np.zeros(8), 65536, algorithm='dfr').recon(np.zeros((8, 1, 65536), np.float32))\n"
        "except MemoryError: print('refused')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert result.stdout == "refused\n", result.stderr
