"""Computed tomography: slices from X-ray projections, NumPy arrays in and out, over libvershina-tomography.

>>> theta = np.linspace(0, np.pi, 180, endpoint=False)        # radians, counter-clockwise
>>> volume = recon(tomo, theta, center=319.5, algorithm="dfr", threads=0)

>>> tomo = minus_log(fill_gaps(normalize(counts, flat, dark)))        # of a scan as it was measured
>>> tomo = remove_stripes(remove_zingers(tomo, 0.3), method="wavelet", threads=0)
>>> center = find_center(tomo, theta).center

tomo: float32 (angles, rows, bins), line integrals (after minus log). volume: float32 (rows, n, n), [z][y][x], in units
per pixel; a pixel is as wide as a bin. Names are those of TomoPy and scikit-image. A Plan is for work step by step.

The ray of angle theta and bin k is the line x cos(theta) + y sin(theta) = k - center; pixel (row j, column i) of n x n
has x = i - (n - 1) / 2 and y = (n - 1) / 2 - j. scikit-image has its axis at pixel n // 2, which is the same for odd n.

Arrays are not converted, but for the counts of normalize: wrong types, shapes and gaps are a ValueError that says what
is needed (an object that is no array is a TypeError), as are all other bad arguments. What prepares a scan returns a
new array, or works in place with out=tomo; nothing else is copied. NaN and infinity in arrays spread
over their slice and others that are reconstructed with it: replace them before. The GIL is released, and Ctrl-C takes
effect between blocks of slices. Importing this module needs NumPy and the library, or is an ImportError.

Conventions: vershina/tomography.h. Methods and their sources: tomography/README.md.
"""

from __future__ import annotations

import ctypes
import math
import operator
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Center",
    "Options",
    "Plan",
    "fill_gaps",
    "find_center",
    "kernels",
    "minus_log",
    "normalize",
    "project",
    "recon",
    "remove_stripes",
    "remove_zingers",
    "retrieve_phase",
]

Array = npt.NDArray[np.float32]

_MOST = 65536  # VSH_TOMO_MAX_BINS, VSH_TOMO_MAX_ANGLES
_E_MEMORY = 9
_BEAMS = {"parallel": 1, "fan": 2, "cone": 3}
_ALGORITHMS = {"fbp": 1, "dfr": 2, "hfbp": 3, "sirt": 4, "cgls": 5, "tv": 6}
_FILTERS = {"ram-lak": 1, "ramp": 1, "ramlak": 1, "shepp-logan": 2, "shepp": 2, "cosine": 3, "hamming": 4, "hann": 5}
_INTERPOLATIONS = {"linear": 1, "cubic": 2}
_QUALITIES = {"accurate": 1, "fast": 2}
_WEIGHTS = {"gaps": 1, "uniform": 2}
_PADDINGS = {"zeros": 1, "edges": 2}
_CENTERS = {"auto": 1, "fourier": 2, "correlation": 3, "mass": 4, "opposite": 5, "symmetry": 6}
_STRIPES = ("sorting", "wavelet")


class _Geometry(ctypes.Structure):  # vsh_tomo_geometry
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("beam", ctypes.c_int),
        ("num_angles", ctypes.c_size_t),
        ("angles", ctypes.c_void_p),
        ("num_bins", ctypes.c_size_t),
        ("centre_offset", ctypes.c_double),
        ("source_distance", ctypes.c_double),
        ("num_rows", ctypes.c_size_t),
        ("row_offset", ctypes.c_double),
    ]


class _Options(ctypes.Structure):  # vsh_tomo_options
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("algorithm", ctypes.c_int),
        ("filter", ctypes.c_int),
        ("interpolation", ctypes.c_int),
        ("quality", ctypes.c_int),
        ("angle_weights", ctypes.c_int),
        ("padding", ctypes.c_int),
        ("displaced", ctypes.c_int),
        ("size", ctypes.c_size_t),
        ("depth", ctypes.c_size_t),
        ("whole_square", ctypes.c_int),
        ("iterations", ctypes.c_size_t),
        ("relaxation", ctypes.c_double),
        ("tv_weight", ctypes.c_double),
        ("nonnegative", ctypes.c_int),
        ("threads", ctypes.c_uint),
        ("kernel", ctypes.c_char_p),
        ("progress", ctypes.c_void_p),
        ("progress_context", ctypes.c_void_p),
    ]


def _load() -> ctypes.CDLL:
    """Loads the library of this package's version, found as the system finds libraries."""
    major, minor = _core.version().split(".")[:2]
    pointer, size, number, threads = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double, ctypes.c_uint
    scan = [pointer, size, size, size]
    functions: dict[str, tuple[Any, list[Any]]] = {
        "status_message": (ctypes.c_char_p, [ctypes.c_int]),
        "plan_new": (ctypes.c_int, [pointer, pointer, pointer]),
        "plan_free": (None, [pointer]),
        "reconstruct": (ctypes.c_int, [pointer, pointer, pointer, size, size]),
        "plan_batch": (size, [pointer]),
        "plan_memory": (ctypes.c_uint64, [pointer, size]),
        "plan_size": (size, [pointer]),
        "plan_kernel": (ctypes.c_char_p, [pointer]),
        "project": (ctypes.c_int, [pointer, pointer, pointer, size]),
        "back_project": (ctypes.c_int, [pointer, pointer, pointer, size]),
        "filter_rows": (ctypes.c_int, [pointer, pointer, pointer, size]),
        "plan_weights": (ctypes.c_int, [pointer, pointer]),
        "normalise": (ctypes.c_int, [*scan, pointer, pointer, pointer]),
        "fill_gaps": (ctypes.c_int, [*scan, pointer]),
        "minus_log": (ctypes.c_int, [*scan, pointer, pointer]),
        "retrieve_phase": (ctypes.c_int, [*scan, number, number, number, number, threads]),
        "remove_zingers": (ctypes.c_int, [*scan, number, threads, pointer]),
        "remove_stripes_sorting": (ctypes.c_int, [*scan, size, threads]),
        "remove_stripes_wavelet": (ctypes.c_int, [*scan, number, threads]),
        "find_centre": (ctypes.c_int, [pointer, pointer, pointer, size, pointer, ctypes.c_int]),
        "kernel": (ctypes.c_char_p, [size]),
        "kernel_runnable": (ctypes.c_int, [size]),
    }
    try:
        library = ctypes.CDLL("libvershina-tomography.so." + (f"0.{minor}" if major == "0" else major))
        for name, (result, arguments) in functions.items():
            function = getattr(library, "vsh_tomo_" + name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"vershina.tomography needs the library libvershina-tomography: {error}") from None
    return library


_library = _load()


class Options(TypedDict, total=False):
    """Keyword arguments of a Plan, which explains them."""

    algorithm: str
    filter_name: str
    interpolation: str
    quality: str
    angle_weights: str
    padding: str
    displaced: bool | None
    output_size: int | None
    circle: bool
    num_iter: int | None
    relaxation: float
    tv_weight: float
    nonnegative: bool
    beam: str
    source_distance: float | None
    num_rows: int | None
    source_row: float | None
    depth: int | None
    threads: int
    kernel: str | None


class _Handle:
    """Owns a vsh_tomo_plan: freed once, whatever objects share it."""

    def __init__(self, address: int) -> None:
        self.address = address
        self._free = _library.vsh_tomo_plan_free

    def __del__(self) -> None:
        self._free(self.address)

    def __reduce__(self) -> Any:
        raise TypeError("a plan of vershina.tomography cannot be pickled or copied deeply")


class Plan:
    """Tables of one geometry and one set of options, for any number of slices.

    >>> plan = Plan(theta, tomo.shape[2], algorithm="fbp", threads=0)
    >>> for z in range(0, tomo.shape[1], plan.batch):
    ...     use(plan.recon(tomo[:, z : z + plan.batch]))      # a view: nothing is copied

    theta: radians, counter-clockwise, in any order and of any range, at most 65536. num_bins: of a row, at most 65536.
    center: bin of the axis of rotation, counted from 0, with fractions, on the detector: -0.5 to num_bins - 0.5; None:
    the middle, (num_bins - 1) / 2.

    algorithm        'fbp' filtered back-projection (cone: Feldkamp, Davis and Kress 1984); 'dfr' direct Fourier,
                     gridding by Kaiser-Bessel (Beatty 2005); 'hfbp' recursive filter and fast Hough transform (Brady
                     1998; arXiv 2007.06289); iterative: 'sirt' (Gilbert 1972), 'cgls' (Hestenes and Stiefel 1952), 'tv'
                     least squares with total variation (Sidky 2012)
    filter_name      of 'fbp', 'dfr' and 'hfbp': 'ram-lak' (also 'ramp', 'ramlak'), 'shepp-logan' ('shepp'), 'cosine'
                     (not of 'hfbp'), 'hamming', 'hann'
    interpolation    of 'fbp', but not of a cone: 'linear' or 'cubic' (Catmull-Rom)
    quality          of 'hfbp': 'accurate' or 'fast'
    angle_weights    of 'fbp' and 'dfr', but not of a cone: share of pi of each angle, 'gaps', half the gaps to its
                     neighbours, or 'uniform'
    padding          of 'fbp', 'dfr' and 'hfbp': beyond a row's ends, before filtering: 'zeros', or 'edges' for
                     objects wider than the detector
    displaced        of 'fbp', 'dfr' and 'hfbp': bins beyond the nearer end of a detector whose middle is not the axis
                     see their lines once, others twice (Wang, Med. Phys. 29, 2002); None: if theta is a whole turn
    output_size      n, pixels of a side; None: num_bins
    circle           True: pixels farther than n / 2 from the axis are 0, and cost no time
    num_iter         None: 100 of 'sirt', 20 of 'cgls', 200 of 'tv'
    relaxation       of 'sirt': between 0 and 2
    tv_weight        of 'tv': at least 0, and 0 is least squares
    nonnegative      of 'sirt' and 'tv': keeps slices at or above 0
    beam             'parallel'; 'fan': source at R (sin(theta), -cos(theta)), flat detector; 'cone': all rows together,
                     'fbp' only
    source_distance  R, of 'fan' and 'cone': from the source to the axis, in bins of a detector moved to the axis
    num_rows, depth  of 'cone': rows of the detector; slices, None: num_rows, the middle one level with the middle row
    source_row       of 'cone': row that is level with the source, from 0, with fractions; None: the middle
    threads          at most this many; 0: all
    kernel           forces a kernel, one of kernels()

    What is of other algorithms has to be valid, and changes nothing. Methods may be called by several threads, and are
    done one after the other.
    """

    def __init__(
        self,
        theta: npt.ArrayLike,
        num_bins: int,
        center: float | None = None,
        *,
        algorithm: str = "fbp",
        filter_name: str = "ram-lak",
        interpolation: str = "linear",
        quality: str = "accurate",
        angle_weights: str = "gaps",
        padding: str = "zeros",
        displaced: bool | None = None,
        output_size: int | None = None,
        circle: bool = True,
        num_iter: int | None = None,
        relaxation: float = 1.0,
        tv_weight: float = 0.01,
        nonnegative: bool = False,
        beam: str = "parallel",
        source_distance: float | None = None,
        num_rows: int | None = None,
        source_row: float | None = None,
        depth: int | None = None,
        threads: int = 1,
        kernel: str | None = None,
    ) -> None:
        radians = _angles(theta)
        bins = _count("num_bins", num_bins)
        self._cone = beam == "cone"
        if self._cone != (num_rows is not None):
            raise ValueError("num_rows: needed by beam='cone', and by no other")
        if depth is not None and not self._cone:
            raise ValueError("depth: only of beam='cone'")
        if source_row is not None and not self._cone:
            raise ValueError("source_row: only of beam='cone'")
        if (beam == "parallel") != (source_distance is None):
            raise ValueError("source_distance: needed by beam='fan' and 'cone', and by no other")
        rows = 0 if num_rows is None else _count("num_rows", num_rows)
        geometry = _Geometry(
            ctypes.sizeof(_Geometry),
            _choice("beam", beam, _BEAMS),
            radians.size,
            radians.ctypes.data,
            bins,
            0.0 if center is None else _number("center", center) - (bins - 1) / 2,
            0.0 if source_distance is None else _number("source_distance", source_distance),
            rows,
            0.0 if source_row is None else _number("source_row", source_row) - (rows - 1) / 2,
        )
        options = _Options(
            ctypes.sizeof(_Options),
            _choice("algorithm", algorithm, _ALGORITHMS),
            _choice("filter_name", filter_name, _FILTERS),
            _choice("interpolation", interpolation, _INTERPOLATIONS),
            _choice("quality", quality, _QUALITIES),
            _choice("angle_weights", angle_weights, _WEIGHTS),
            _choice("padding", padding, _PADDINGS),
            1 if displaced is None else 2 if displaced else 3,
            0 if output_size is None else _count("output_size", output_size),
            0 if depth is None else _count("depth", depth),
            0 if circle else 1,
            0 if num_iter is None else _count("num_iter", num_iter, most=1000000),
            _number("relaxation", relaxation),
            _number("tv_weight", tv_weight),
            1 if nonnegative else 0,
            _count("threads", threads, least=0),
            _kernel(kernel),
            None,
            None,
        )
        address = ctypes.c_void_p()
        _check(_library.vsh_tomo_plan_new(ctypes.byref(address), ctypes.byref(geometry), ctypes.byref(options)))
        assert address.value is not None
        self._handle = _Handle(address.value)
        self._lock = threading.Lock()
        self._num_angles, self._bins, self._rows = radians.size, bins, rows
        self._depth = rows if depth is None else operator.index(depth)
        self._threads = operator.index(threads) or len(os.sched_getaffinity(0))
        self._name = f"{beam} {algorithm}"

    def __repr__(self) -> str:
        return f"<vershina tomography {self._name}, {self._num_angles} angles of {self._bins} bins>"

    @property
    def size(self) -> int:
        """n, pixels of a side."""
        return int(_library.vsh_tomo_plan_size(self._handle.address))

    @property
    def batch(self) -> int:
        """Slices that the kernel does together: multiples of it take the least time. A cone's depth."""
        return int(_library.vsh_tomo_plan_batch(self._handle.address))

    @property
    def kernel(self) -> str:
        """The kernel, such as 'avx512'."""
        name: bytes = _library.vsh_tomo_plan_kernel(self._handle.address)
        return name.decode()

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weight of each angle in the sum over all of them, its share of pi: (angles,)."""
        weights = np.empty(self._num_angles)
        _check(_library.vsh_tomo_plan_weights(self._handle.address, weights.ctypes.data))
        return weights

    def memory(self, num_slices: int) -> int:
        """Bytes that a reconstruction of so many slices takes besides its input and output, with the tables."""
        return int(_library.vsh_tomo_plan_memory(self._handle.address, _count("num_slices", num_slices, most=1 << 31)))

    def recon(self, tomo: Array, out: Array | None = None) -> Array:
        """Reconstructs: (slices, n, n) from (angles, slices, bins), of a cone (depth, n, n) from (angles, num_rows,
        bins). tomo may be rows of a larger scan, as in scan[:, first:last]; each angle's rows have no gaps.
        """
        rows = self._rows if self._cone else None
        stride = self._check_projections("tomo", tomo, rows)
        slices = self._depth if self._cone else tomo.shape[1]
        out = _room(out, (slices, self.size, self.size), tomo)
        block = slices if self._cone else self.batch * self._threads
        for first in range(0, slices, block):
            source = tomo.ctypes.data + first * self._bins * 4
            target = out.ctypes.data + first * self.size * self.size * 4
            with self._lock:
                status = _library.vsh_tomo_reconstruct(
                    self._handle.address, target, source, stride, min(block, slices - first)
                )
            _check(status)
        return out

    def project(self, volume: Array, out: Array | None = None) -> Array:
        """Projects with the pair of the iterative algorithms: (angles, slices, bins) from (slices, n, n). Parallel beam
        only. With circle=True pixels outside of it count as 0. Joseph, IEEE Trans. Med. Imaging 1, 1982.
        """
        _check_floats("volume", volume)
        if volume.shape[1:] != (self.size, self.size):
            raise ValueError(f"volume: its shape is {volume.shape}, not (slices, {self.size}, {self.size})")
        _check_whole("volume", volume)
        out = _room(out, (self._num_angles, volume.shape[0], self._bins), volume)
        self._step(_library.vsh_tomo_project, out, volume, volume.shape[0])
        return out

    def back_project(self, tomo: Array, out: Array | None = None) -> Array:
        """Applies the transpose of project, without weights or filter: (slices, n, n) from (angles, slices, bins)."""
        self._check_projections("tomo", tomo)
        _check_whole("tomo", tomo)
        out = _room(out, (tomo.shape[1], self.size, self.size), tomo)
        self._step(_library.vsh_tomo_back_project, out, tomo, tomo.shape[1])
        return out

    def filter_rows(self, tomo: Array, out: Array | None = None) -> Array:
        """Filters rows as 'fbp' does, parallel beam only: (angles, slices, bins) of the same; out may be tomo. The sum
        over angles has still to be weighted by weights. Kak and Slaney, Principles of Computerized Tomographic Imaging,
        1988, 3.3.
        """
        self._check_projections("tomo", tomo)
        _check_whole("tomo", tomo)
        same = isinstance(out, np.ndarray) and out.ctypes.data == tomo.ctypes.data
        out = _room(out, tomo.shape, None if same else tomo)
        self._step(_library.vsh_tomo_filter_rows, out, tomo, tomo.shape[1])
        return out

    def _step(self, function: Any, out: Array, source: Array, num_slices: int) -> None:
        with self._lock:
            status = function(self._handle.address, out.ctypes.data, source.ctypes.data, num_slices)
        _check(status)

    def _check_projections(self, name: str, tomo: Array, rows: int | None = None) -> int:
        """Returns the floats from one angle's first row to the next angle's."""
        _check_floats(name, tomo)
        needed = (self._num_angles, tomo.shape[1] if rows is None else rows, self._bins)
        if tomo.shape != needed:
            raise ValueError(f"{name}: its shape is {tomo.shape}, not (angles, rows, bins) = {needed}")
        whole = needed[1] * self._bins * 4
        stride = tomo.strides[0] if self._num_angles > 1 else whole
        if not tomo[0].flags.c_contiguous or stride < whole or stride % 4:
            raise ValueError(f"{name}: rows with gaps or in another order: numpy.ascontiguousarray({name}) is needed")
        return stride // 4


def recon(
    tomo: Array,
    theta: npt.ArrayLike,
    center: float | None = None,
    *,
    out: Array | None = None,
    **options: Unpack[Options],
) -> Array:
    """Reconstructs slices: (rows, n, n) from projections (angles, rows, bins), both float32. A Plan explains theta
    (radians), center (bin of the axis) and all options; num_rows of a cone is that of tomo.

    >>> volume = recon(tomo, theta, algorithm="fbp", filter_name="hann", threads=0)
    """
    _check_floats("tomo", tomo)
    if options.get("beam") == "cone":
        options.setdefault("num_rows", tomo.shape[1])
    return Plan(theta, tomo.shape[2], center, **options).recon(tomo, out)


def project(
    volume: Array,
    theta: npt.ArrayLike,
    center: float | None = None,
    *,
    num_bins: int | None = None,
    out: Array | None = None,
    **options: Unpack[Options],
) -> Array:
    """Projects a volume by parallel beams: (angles, slices, bins) of (slices, n, n), both float32. theta in radians;
    num_bins None: n. circle=False projects the corners, too. Plan.project.
    """
    _check_floats("volume", volume)
    options.setdefault("output_size", volume.shape[2])
    return Plan(theta, volume.shape[2] if num_bins is None else num_bins, center, **options).project(volume, out)


def kernels() -> list[str]:
    """The kernels that this processor can run, the best first."""
    found: list[str] = []
    index = 0
    while (name := _library.vsh_tomo_kernel(index)) is not None:
        if _library.vsh_tomo_kernel_runnable(index):
            found.append(name.decode())
        index += 1
    return found


def normalize(
    tomo: npt.NDArray[Any], flat: npt.NDArray[Any], dark: npt.NDArray[Any] | None = None, *, out: Array | None = None
) -> Array:
    """Makes transmissions (angles, rows, bins) of counts of any real type: (tomo - dark) / (flat - dark). flat and
    dark, without object and without beam: frames (frames, rows, bins), whose mean is taken, or one (rows, bins); dark
    None: 0. Bins whose flat is not above their dark become NaN: fill_gaps.
    """
    if not isinstance(tomo, np.ndarray) or tomo.ndim != 3 or 0 in tomo.shape or tomo.dtype.kind not in "fiu":
        raise ValueError("tomo: an array (angles, rows, bins) of real numbers is needed")
    white = _mean_frame("flat", flat, tomo.shape[1:])
    black = None if dark is None else _mean_frame("dark", dark, tomo.shape[1:])
    arguments = (white.ctypes.data, None if black is None else black.ctypes.data, None)
    return _prepare(_library.vsh_tomo_normalise, tomo, out, *arguments)


def fill_gaps(tomo: Array, *, out: Array | None = None) -> Array:
    """Replaces NaN and infinity by what is between their neighbours in the row of bins, linearly. A row without any
    other value stays.
    """
    _check_floats("tomo", tomo)
    return _prepare(_library.vsh_tomo_fill_gaps, tomo, out, None)


def minus_log(tomo: Array, least: npt.ArrayLike = 1e-6, *, out: Array | None = None) -> Array:
    """Makes line integrals of transmissions: -log(tomo). What is below `least`, a number or (rows, bins), between 0 and
    1, is taken as that: of half a count it is 0.5 / (flat - dark).
    """
    _check_floats("tomo", tomo)
    try:
        bound = np.array(np.broadcast_to(np.asarray(least, np.float32), tomo.shape[1:]), order="C")
    except (TypeError, ValueError):
        raise ValueError(f"least: a number or an array (rows, bins) = {tomo.shape[1:]} is needed") from None
    return _prepare(_library.vsh_tomo_minus_log, tomo, out, bound.ctypes.data, None)


def retrieve_phase(
    tomo: Array,
    *,
    delta_beta: float,
    energy_kev: float,
    distance_mm: float,
    pixel_mm: float,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Retrieves the phase of a homogeneous object from transmissions with fringes of propagation, before minus_log.
    delta_beta: delta over beta of the object; energy of the photons; from object to detector; size of a pixel there.
    Paganin et al., J. Microscopy 206, 2002.
    """
    _check_floats("tomo", tomo)
    named = (("delta_beta", delta_beta), ("energy_kev", energy_kev), ("distance_mm", distance_mm))
    numbers = [_number(name, value) for name, value in (*named, ("pixel_mm", pixel_mm))]
    return _prepare(_library.vsh_tomo_retrieve_phase, tomo, out, *numbers, _count("threads", threads, least=0))


def remove_zingers(tomo: Array, threshold: float, *, threads: int = 1, out: Array | None = None) -> Array:
    """Replaces line integrals that are below the median of their 3 x 3 neighbours in the sinogram by more than log(1 +
    threshold), a transmission that is too high by that share, by this median.
    """
    _check_floats("tomo", tomo)
    arguments = (_number("threshold", threshold), _count("threads", threads, least=0), None)
    return _prepare(_library.vsh_tomo_remove_zingers, tomo, out, *arguments)


def remove_stripes(
    tomo: Array,
    *,
    method: str = "sorting",
    window: int | None = None,
    sigma: float = 2.0,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Removes stripes from sinograms of line integrals, angles in order; they would become rings. method: 'sorting',
    the median over `window` bins of equal ranks (3 to 1001; None: 5 to 21, or 1 % of the bins), Vo, Atwood and
    Drakopoulos, Optics Express 26, 2018, algorithm 3; 'wavelet', details damped below `sigma` periods in the scan,
    Muench et al., Optics Express 17, 2009.
    """
    _check_floats("tomo", tomo)
    if method not in _STRIPES:
        raise ValueError(f"method: {method!r} is not one of {', '.join(_STRIPES)}")
    count = _count("threads", threads, least=0)
    if method == "wavelet":
        return _prepare(_library.vsh_tomo_remove_stripes_wavelet, tomo, out, _number("sigma", sigma), count)
    bins = 0 if window is None else _count("window", window, least=3, most=1001)
    return _prepare(_library.vsh_tomo_remove_stripes_sorting, tomo, out, bins, count)


class Center(NamedTuple):
    """An axis of rotation that was found."""

    center: float  # bin, counted from 0
    confidence: float  # 0 to 1; below 0.1 the axis is better given by hand


def find_center(
    tomo: Array,
    theta: npt.ArrayLike,
    row: int | None = None,
    *,
    method: str = "auto",
    source_distance: float | None = None,
) -> Center:
    """Finds the axis of rotation from one row (None: the middle) of line integrals (angles, rows, bins).

    method: 'fourier' (Vo et al., Optics Express 22, 2014), 'correlation' (Guizar-Sicairos et al., Optics Letters 33,
    2008), 'mass' (Azevedo et al., IEEE Trans. Nucl. Sci. 37, 1990); of a fan, whose source_distance is given, and of
    the row of a cone that is level with the source: 'opposite' (Panetta et al., Phys. Med. Biol. 53, 2008), 'symmetry';
    'auto': the first of these that agrees with another one within half a bin, else the most confident one with half its
    confidence. ValueError: there is none, as in too few or too short a range of angles.
    """
    _check_floats("tomo", tomo)
    radians = _angles(theta)
    rows, bins = tomo.shape[1:]
    if tomo.shape[0] != radians.size:
        raise ValueError(f"tomo: its shape is {tomo.shape}, not (angles, rows, bins) of {radians.size} angles")
    place = rows // 2 if row is None else _count("row", row, least=0, most=rows - 1)
    sinogram = np.ascontiguousarray(tomo[:, place])
    fan = source_distance is not None
    geometry = _Geometry(
        ctypes.sizeof(_Geometry),
        _BEAMS["fan" if fan else "parallel"],
        radians.size,
        radians.ctypes.data,
        bins,
        0.0,
        0.0 if source_distance is None else _number("source_distance", source_distance),
        0,
        0.0,
    )
    offset, confidence = ctypes.c_double(), ctypes.c_double()
    found = (ctypes.byref(offset), ctypes.byref(confidence))
    number = _choice("method", method, _CENTERS)
    _check(_library.vsh_tomo_find_centre(*found, sinogram.ctypes.data, bins, ctypes.byref(geometry), number))
    return Center((bins - 1) / 2 + offset.value, confidence.value)


def _room(out: Array | None, shape: tuple[int, ...], source: Array | None) -> Array:
    if out is None:
        return np.empty(shape, np.float32)
    _check_floats("out", out)
    if out.shape != shape:
        raise ValueError(f"out: its shape is {out.shape}, not {shape}")
    _check_whole("out", out)
    if not out.flags.writeable:
        raise ValueError("out: the array is read-only")
    if source is not None and np.may_share_memory(out, source):
        raise ValueError("out: the array overlaps the input")
    return out


def _mean_frame(name: str, frames: npt.NDArray[Any], shape: tuple[int, ...]) -> Array:
    array = np.asarray(frames)
    if array.dtype.kind not in "fiu" or array.ndim not in (2, 3) or array.shape[-2:] != shape or 0 in array.shape:
        raise ValueError(f"{name}: frames (frames, rows, bins) or one (rows, bins) = {shape} are needed")
    return np.ascontiguousarray(array.mean(0) if array.ndim == 3 else array, np.float32)


def _prepare(function: Any, tomo: npt.NDArray[Any], out: Array | None, *arguments: Any) -> Array:
    """Calls a function of the library, which works in place, on tomo's copy, or on tomo, if that is out."""
    target = _room(out, tomo.shape, None if out is tomo else tomo)
    if target is not tomo:
        np.copyto(target, tomo, casting="same_kind")
    _check(function(target.ctypes.data, *target.shape, *arguments))
    return target


def _check(status: int) -> None:
    if status == 0:
        return
    message: str = _library.vsh_tomo_status_message(status).decode()
    raise MemoryError(message) if status == _E_MEMORY else ValueError(message)


def _check_floats(name: str, array: Array) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name}: a NumPy array is needed, not {type(array).__name__}")
    if array.dtype != np.float32 or not array.flags.aligned:
        raise ValueError(f"{name}: its type is {array.dtype}, not aligned float32 of this machine's byte order")
    if array.ndim != 3 or 0 in array.shape:
        raise ValueError(f"{name}: its shape is {array.shape}, not three dimensions above 0")


def _check_whole(name: str, array: Array) -> None:
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: the array is not contiguous: numpy.ascontiguousarray({name}) is needed")


def _angles(theta: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(theta)
    if array.dtype.kind not in "fiu" or array.ndim != 1 or not 0 < array.size <= _MOST:
        raise ValueError(f"theta: a list of 1 to {_MOST} numbers is needed, the angles in radians")
    radians = np.ascontiguousarray(array, np.float64)
    if not np.all(np.abs(radians) <= 1e6):
        raise ValueError("theta: an angle is not finite, or above 1e6 radians")
    return radians


def _count(name: str, value: int, *, least: int = 1, most: int = _MOST) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: a whole number is needed, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name}: {number} is not between {least} and {most}")
    return number


def _number(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: a number is needed, not {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name}: {number} is not finite")
    return number


def _choice(name: str, value: str, choices: Mapping[str, int]) -> int:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(choices)}")
    return choices[value]


def _kernel(name: str | None) -> bytes | None:
    if name is None:
        return None
    if not isinstance(name, str) or not name.isascii() or not name.isidentifier():
        raise ValueError(f"kernel: {name!r} is not one of {', '.join(kernels())}")
    return name.encode()
