"""Computed tomography: slices from X-ray projections, NumPy arrays in and out.

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
is needed (an object that is not an array is a TypeError), as are all other bad arguments. Steps of preparation return
a new array, or work in place with out=tomo; nothing else is copied. NaN and infinity in arrays spread over their slice
and others that are reconstructed with it: replace them before. The GIL is released, and Ctrl-C takes effect between
blocks of slices. Importing this module needs NumPy and a build with tomography, or is an ImportError.

Conventions: vershina/tomography.h. Methods and their sources: tomography/README.md.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from . import _tomography
from ._tomography import count, number, options_of

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "options_of",
    "project",
    "recon",
    "remove_stripes",
    "remove_zingers",
    "retrieve_phase",
]

Array = npt.NDArray[np.float32]


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


class Plan(_tomography.Plan):
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
    filter_name      'ram-lak' (also 'ramp', 'ramlak'), 'shepp-logan' ('shepp'), 'cosine' (not of 'hfbp'), 'hamming',
                     'hann'
    interpolation    'linear' or 'cubic' (Catmull-Rom)
    quality          'accurate' or 'fast'
    angle_weights    share of pi of each angle: 'gaps', half the gaps to its neighbours, or 'uniform'
    padding          beyond a row's ends, before filtering: 'zeros', or 'edges' for objects wider than the detector
    displaced        bins beyond the nearer end of a detector whose middle is not the axis see their lines once, others
                     twice (Wang, Med. Phys. 29, 2002); None: if theta is a whole turn
    output_size      n, pixels of a side; None: num_bins
    circle           True: pixels farther than n / 2 from the axis are 0, and cost no time
    num_iter         None: 100 of 'sirt', 20 of 'cgls', 200 of 'tv'
    relaxation       1; between 0 and 2
    tv_weight        0.01; at least 0, and 0 is least squares
    nonnegative      False; True keeps slices at or above 0
    beam             'parallel'; 'fan': source at R (sin(theta), -cos(theta)), flat detector; 'cone': all rows together,
                     'fbp' only
    source_distance  R, of 'fan' and 'cone': from the source to the axis, in bins of a detector moved to the axis
    num_rows, depth  of 'cone': rows of the detector; slices, None: num_rows, the middle one level with the middle row
    source_row       of 'cone': row that is level with the source, from 0, with fractions; None: the middle
    threads          1; at most this many, 0: all
    kernel           None; forces a kernel, one of kernels()

    The first value of each is the default. options_of() says which of them an algorithm reads; the others have to be
    valid, and change nothing. Methods may be called by several threads, and are done one after the other.
    """

    def __init__(
        self, theta: npt.ArrayLike, num_bins: int, center: float | None = None, **options: Unpack[Options]
    ) -> None:
        radians = _angles(theta)
        super().__init__(radians, num_bins, center, dict(options))
        self._num_angles, self._bins, self._rows = len(radians), int(num_bins), int(options.get("num_rows") or 0)
        self._threads = options.get("threads", 1)
        self._name = f"{options.get('beam', 'parallel')} {options.get('algorithm', 'fbp')}"

    def __repr__(self) -> str:
        return f"<vershina tomography {self._name}, {self._num_angles} angles of {self._bins} bins>"

    def recon(self, tomo: Array, out: Array | None = None) -> Array:
        """Reconstructs: (slices, n, n) from (angles, slices, bins), of a cone (depth, n, n) from (angles, num_rows,
        bins). tomo may be rows of a larger scan, as in scan[:, first:last]; each angle's rows have no gaps.
        """
        _check("tomo", tomo, self._num_angles, self._rows, self._bins)
        cone = self._rows > 0
        slices = self.batch if cone else tomo.shape[1]
        out = _room(out, (slices, self.size, self.size), tomo)
        block = self.batch * (1 if cone else self._threads or len(os.sched_getaffinity(0)))
        for first in range(0, slices, block):
            part = slice(first, first + block)
            self._recon(out[part], tomo if cone else tomo[:, part])
        return out

    def project(self, volume: Array, out: Array | None = None) -> Array:
        """Projects with the pair of the iterative algorithms: (angles, slices, bins) from (slices, n, n). Parallel beam
        only. With circle=True pixels outside of it count as 0. Joseph, IEEE Trans. Med. Imaging 1, 1982.
        """
        _check("volume", volume, 0, self.size, self.size, whole=True)
        out = _room(out, (self._num_angles, volume.shape[0], self._bins), volume)
        self._project(out, volume, volume.shape[0])
        return out

    def back_project(self, tomo: Array, out: Array | None = None) -> Array:
        """Applies the transpose of project, without weights or filter: (slices, n, n) from (angles, slices, bins)."""
        _check("tomo", tomo, self._num_angles, 0, self._bins, whole=True)
        out = _room(out, (tomo.shape[1], self.size, self.size), tomo)
        self._back_project(out, tomo, tomo.shape[1])
        return out

    def filter_rows(self, tomo: Array, out: Array | None = None) -> Array:
        """Filters rows as 'fbp' does, parallel beam only: (angles, slices, bins) of the same; out may be tomo. The sum
        over angles has still to be weighted by weights. Kak and Slaney, Principles of Computerized Tomographic Imaging,
        1988, 3.3.
        """
        _check("tomo", tomo, self._num_angles, 0, self._bins, whole=True)
        same = isinstance(out, np.ndarray) and out.ctypes.data == tomo.ctypes.data
        out = _room(out, tomo.shape, None if same else tomo)
        self._filter_rows(out, tomo, tomo.shape[1])
        return out


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
    _check("tomo", tomo)
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
    _check("volume", volume)
    options.setdefault("output_size", volume.shape[2])
    return Plan(theta, volume.shape[2] if num_bins is None else num_bins, center, **options).project(volume, out)


def kernels() -> list[str]:
    """The kernels that this processor can run, the best first."""
    return [name for name, _ in _tomography.kernels()]


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
    black = np.empty((0, 0), np.float32) if dark is None else _mean_frame("dark", dark, tomo.shape[1:])
    return _in_place(_tomography.normalize, tomo, out, white, black)


def fill_gaps(tomo: Array, *, out: Array | None = None) -> Array:
    """Replaces NaN and infinity by what is between their neighbours in the row of bins, linearly. A row without any
    other value stays.
    """
    return _prepare(_tomography.fill_gaps, tomo, out)


def minus_log(tomo: Array, least: npt.ArrayLike = 1e-6, *, out: Array | None = None) -> Array:
    """Makes line integrals of transmissions: -log(tomo). What is below `least`, a number or (rows, bins), between 0 and
    1, is taken as that: of half a count it is 0.5 / (flat - dark).
    """
    _check("tomo", tomo)
    try:
        bound = np.array(np.broadcast_to(np.asarray(least, np.float32), tomo.shape[1:]), order="C")
    except (TypeError, ValueError):
        raise ValueError(f"least: a number or an array (rows, bins) = {tomo.shape[1:]} is needed") from None
    return _in_place(_tomography.minus_log, tomo, out, bound)


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
    named = {"delta_beta": delta_beta, "energy_kev": energy_kev, "distance_mm": distance_mm, "pixel_mm": pixel_mm}
    numbers = [number(name, value) for name, value in named.items()]
    return _prepare(_tomography.retrieve_phase, tomo, out, *numbers, count("threads", threads, 0))


def remove_zingers(tomo: Array, threshold: float, *, threads: int = 1, out: Array | None = None) -> Array:
    """Replaces line integrals that are below the median of their 3 x 3 neighbours in the sinogram by more than log(1 +
    threshold), a transmission that is too high by that share, by this median.
    """
    share = number("threshold", threshold)
    return _prepare(_tomography.remove_zingers, tomo, out, share, count("threads", threads, 0))


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
    if method not in ("sorting", "wavelet"):
        raise ValueError(f"method: {method!r} is not one of sorting, wavelet")
    most = count("threads", threads, 0)
    if method == "wavelet":
        return _prepare(_tomography.remove_stripes_wavelet, tomo, out, number("sigma", sigma), most)
    bins = 0 if window is None else count("window", window, 3, 1001)
    return _prepare(_tomography.remove_stripes_sorting, tomo, out, bins, most)


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
    radians = _angles(theta)
    _check("tomo", tomo, len(radians), 0, 0)
    rows = tomo.shape[1]
    sinogram = np.ascontiguousarray(tomo[:, rows // 2 if row is None else count("row", row, 0, rows - 1)])
    distance = None if source_distance is None else number("source_distance", source_distance)
    return Center(*_tomography.find_center(sinogram, radians, method, distance))


def _check(name: str, array: Array, *shape: int, whole: bool = False) -> None:
    """shape: what it has to be; 0: any number."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name}: a NumPy array is needed, not {type(array).__name__}")
    if array.dtype != np.float32 or not array.flags.aligned:
        raise ValueError(f"{name}: its type is {array.dtype}, not aligned float32 of this machine's byte order")
    if array.ndim != 3 or 0 in array.shape:
        raise ValueError(f"{name}: its shape is {array.shape}, not three dimensions above 0")
    needed = tuple(size or array.shape[i] for i, size in enumerate(shape)) or array.shape
    if array.shape != needed:
        axes = "(angles, rows, bins) = " if name == "tomo" else ""
        raise ValueError(f"{name}: its shape is {array.shape}, not {axes}{needed}")
    if whole and not array.flags.c_contiguous:
        raise ValueError(f"{name}: the array is not contiguous: numpy.ascontiguousarray({name}) is needed")


def _room(out: Array | None, shape: tuple[int, ...], source: Array | None) -> Array:
    if out is None:
        return np.empty(shape, np.float32)
    _check("out", out, *shape, whole=True)
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


def _prepare(function: Callable[..., None], tomo: Array, out: Array | None, *arguments: Any) -> Array:
    _check("tomo", tomo)
    return _in_place(function, tomo, out, *arguments)


def _in_place(function: Callable[..., None], tomo: npt.NDArray[Any], out: Array | None, *arguments: Any) -> Array:
    """Runs a step in place, on a copy of tomo, or on tomo if that is out."""
    target = _room(out, tomo.shape, None if out is tomo else tomo)
    if target is not tomo:
        np.copyto(target, tomo, casting="same_kind")
    function(target, *arguments)
    return target


def _angles(theta: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(theta)
    if array.dtype.kind not in "fiu" or array.ndim != 1 or not 0 < array.size <= 65536:
        raise ValueError("theta: a list of 1 to 65536 numbers is needed, the angles in radians")
    radians = np.ascontiguousarray(array, np.float64)
    if not np.all(np.abs(radians) <= 1e6):
        raise ValueError("theta: an angle is not finite, or above 1e6 radians")
    return radians
