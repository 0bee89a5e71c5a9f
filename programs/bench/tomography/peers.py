#!/usr/bin/env python3
"""Compares libvershina-tomography with other programs: accuracy against the true phantom, and time.

Usage: peers.py LIBRARY [--time] [--size N] [--angles A]

LIBRARY is libvershina-tomography.so. Peers are those of astra-toolbox, scikit-image, finufft and adrt that Python finds
(PyPI). Each runs in a process of its own, on one thread, with the same sinogram, angles, filter and centre. The
sinogram is the modified Shepp-Logan phantom's exact line integrals, averaged over the bin; RMSE is inside the circle of
radius N/2 - 2. `u-net` is the network of 256 x 256 of the published work by ONNX Runtime, with random weights. Without
--time it is a check, also of SIRT, CGLS and a fan beam, at half the size: RMSE not above that of others by more than
BOUNDS says, and slices as like theirs as ALIKE says; exit status 1 if one fails, 77 if ASTRA is missing.

`vershina tomo bench --peers` has this script within it, behind UNET, the text of ../../tomo/segmentation/unet.py, and
runs it with `- --child PEER`.
"""
import argparse
import ctypes
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time
import types

SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ELLIPSES = [(1, .69, .92, 0, 0, 0), (-.8, .6624, .874, 0, -.0184, 0), (-.2, .11, .31, .22, 0, -18),
            (-.2, .16, .41, -.22, 0, 18), (.1, .21, .25, 0, .35, 0), (.1, .046, .046, 0, .1, 0),
            (.1, .046, .046, 0, -.1, 0), (.1, .046, .023, -.08, -.605, 0), (.1, .023, .023, 0, -.606, 0),
            (.1, .023, .046, .06, -.605, 0)]
OWN = {"fbp": {"algorithm": 1}, "dfr": {"algorithm": 2}, "hfbp": {"algorithm": 3},
       "hfbp-fast": {"algorithm": 3, "quality": 2}}
PEERS = ("astra", "scikit-image", "finufft", "adrt", "u-net")
# At half the size, because ASTRA takes its time. It reconstructs squares, and on processors a fan by no FBP. The first
# of each pair is ours, the other ASTRA's algorithm.
ITERATIONS = {"SIRT": 20, "CGLS": 10}
HALVES = {"sirt": {"algorithm": 4, "iterations": ITERATIONS["SIRT"], "whole_square": 1},
          "cgls": {"algorithm": 5, "iterations": ITERATIONS["CGLS"], "whole_square": 1},
          "half-fbp": {"algorithm": 1}, "fan-fbp": {"algorithm": 1},
          "fan-cgls": {"algorithm": 5, "iterations": ITERATIONS["CGLS"], "whole_square": 1}}
ASTRA = {"astra-sirt": "SIRT", "astra-cgls": "CGLS", "astra-fan-cgls": "CGLS"}
# RMSE against the phantom, of the first over the second, at most. A fan's rays are interpolated once more.
BOUNDS = (("fbp", "astra", 1.02), ("dfr", "fbp", 1), ("hfbp", "fbp", 1.12), ("sirt", "astra-sirt", 1.001),
          ("cgls", "astra-cgls", 1.01), ("fan-fbp", "half-fbp", 1.25), ("fan-cgls", "astra-fan-cgls", 1.1))
# Root of the mean square difference of slices that they may have in the circle: the same sums; the same transform with
# another kernel, eps 1e-3; another filter of the same ramp and other weights of a ray; the same projector and the same
# steps but for rounding, which the steps of CGLS let grow (6e-5 after 10 of them, 3e-3 after 20); steps from rebinned
# rays and from those of the fan, whose errors are not the same.
ALIKE = (("fbp", "scikit-image", 1e-6), ("dfr", "finufft", 2e-3), ("fbp", "astra", 1e-2), ("sirt", "astra-sirt", 1e-4),
         ("cgls", "astra-cgls", 1e-3), ("fan-cgls", "astra-fan-cgls", 2e-2))
# The widths of the paper of 2015; the published work says none.
UNET_WIDTHS, UNET_CLASSES, UNET_SIZE = (64, 128, 256, 512, 1024), 2, 256


def sinogram(np, angles, bins):
    half, out = bins / 2, np.zeros((len(angles), bins))
    edges = np.arange(bins + 1) - bins / 2
    theta = angles[:, None]
    for density, a, b, x, y, degrees in ELLIPSES:
        a, b, turn = a * half, b * half, np.deg2rad(degrees)
        q = a * a * np.cos(theta - turn) ** 2 + b * b * np.sin(theta - turn) ** 2
        tau = edges - half * (x * np.cos(theta) + y * np.sin(theta))
        tau = np.clip(tau, -np.sqrt(q), np.sqrt(q))
        integral = density * a * b / q * (tau * np.sqrt(np.maximum(q - tau * tau, 0)) + q * np.arcsin(tau / np.sqrt(q)))
        out += np.diff(integral, axis=1)
    return out


def source_distance(n):
    return 2.0 * n


def fan_sinogram(np, angles, bins, n):
    """The phantom of n bins by a fan; a bin is the mean of 8 rays."""
    source, half = source_distance(n), n / 2
    gamma = np.arctan(((np.arange(bins * 8) + .5) / 8 - bins / 2) / source)
    theta, t = angles[:, None] - gamma, source * np.sin(gamma)
    out = np.zeros((len(angles), bins * 8))
    for density, a, b, x, y, degrees in ELLIPSES:
        a, b, turn = a * half, b * half, np.deg2rad(degrees)
        q = a * a * np.cos(theta - turn) ** 2 + b * b * np.sin(theta - turn) ** 2
        tau = t - half * (x * np.cos(theta) + y * np.sin(theta))
        out += 2 * density * a * b / q * np.sqrt(np.maximum(q - tau * tau, 0))
    return out.reshape(len(angles), bins, 8).mean(2)


def phantom(np, n, fine=8):
    place = (np.arange(n * fine) + .5) / fine / (n / 2) - 1
    out = np.zeros((n, n))
    for row in range(n):
        y, x = -place[row * fine:(row + 1) * fine, None], place[None, :]
        values = np.zeros((fine, n * fine))
        for density, a, b, x0, y0, degrees in ELLIPSES:
            c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
            u, v = ((x - x0) * c + (y - y0) * s) / a, ((y - y0) * c - (x - x0) * s) / b
            values += density * (u * u + v * v <= 1)
        out[row] = values.reshape(fine, n, fine).mean((0, 2))
    return out


class Geometry(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("beam", ctypes.c_int), ("num_angles", ctypes.c_size_t),
                ("angles", ctypes.c_void_p), ("num_bins", ctypes.c_size_t), ("centre_offset", ctypes.c_double),
                ("source_distance", ctypes.c_double), ("num_rows", ctypes.c_size_t), ("row_offset", ctypes.c_double)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)]
    _fields_ += [(name, ctypes.c_int) for name in
                 ("algorithm", "filter", "interpolation", "quality", "angle_weights", "padding", "displaced")]
    _fields_ += [("size", ctypes.c_size_t), ("depth", ctypes.c_size_t), ("whole_square", ctypes.c_int),
                 ("iterations", ctypes.c_size_t), ("relaxation", ctypes.c_double), ("tv_weight", ctypes.c_double),
                 ("nonnegative", ctypes.c_int), ("threads", ctypes.c_uint), ("kernel", ctypes.c_char_p),
                 ("progress", ctypes.c_void_p), ("progress_context", ctypes.c_void_p)]


def own(np, library, name, angles, scan, n, slices):
    """Returns a function that reconstructs `slices` copies, and the first of them."""
    lib = ctypes.CDLL(library)
    beam = (2, source_distance(n)) if "fan" in name else (1, 0)
    geometry = Geometry(ctypes.sizeof(Geometry), beam[0], len(angles), angles.ctypes.data, scan.shape[1], 0, beam[1])
    options = Options(**{"struct_size": ctypes.sizeof(Options), "filter": 1, "interpolation": 1, "quality": 1,
                         "angle_weights": 1, "padding": 1, "displaced": 1, "size": n, "relaxation": 1,
                         "tv_weight": .01, "threads": 1, **(OWN | HALVES)[name]})
    plan = ctypes.c_void_p()
    assert lib.vsh_tomo_plan_new(ctypes.byref(plan), ctypes.byref(geometry), ctypes.byref(options)) == 0
    projections = np.ascontiguousarray(np.repeat(scan[:, None].astype(np.float32), slices, 1))
    volume = np.zeros((slices, n, n), np.float32)

    def run():
        assert lib.vsh_tomo_reconstruct(plan, ctypes.c_void_p(volume.ctypes.data),
                                        ctypes.c_void_p(projections.ctypes.data), ctypes.c_size_t(0),
                                        ctypes.c_size_t(slices)) == 0
        return volume[0]
    return run


def unet():
    module = types.ModuleType("unet")
    text = globals().get("UNET")
    if text is None:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tomo/segmentation/unet.py")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    exec(text, module.__dict__)
    return module


def peer(np, name, angles, scan, n):
    count = len(angles)
    if name.startswith("astra"):
        import astra
        geometry = astra.create_proj_geom("parallel", 1.0, n, angles)
        if "fan" in name:  # the detector goes through the axis
            geometry = astra.create_proj_geom("fanflat", 1.0, scan.shape[1], angles, source_distance(n), 0)
        volume = astra.create_vol_geom(n, n)
        projector = astra.create_projector("line_fanflat" if "fan" in name else "linear", geometry, volume)
        data = astra.data2d.create("-sino", geometry, scan.astype(np.float32))
        image = astra.data2d.create("-vol", volume)
        method = ASTRA.get(name, "FBP")
        config = astra.astra_dict(method)
        config.update(ProjectorId=projector, ProjectionDataId=data, ReconstructionDataId=image)
        config["option"] = {"FilterType": "ram-lak"} if method == "FBP" else {}
        algorithm = astra.algorithm.create(config)

        def run():
            astra.algorithm.run(algorithm, ITERATIONS.get(method, 1))
            return astra.data2d.get(image)
        return run
    if name == "scikit-image":
        from skimage.transform import iradon
        # Its centre is index n // 2: the same for odd n only.
        return lambda: iradon(scan.T, theta=np.rad2deg(angles), filter_name="ramp", circle=True)
    if name == "finufft":
        import finufft
        length = 2 * n
        kernel = np.zeros(length)
        kernel[0] = .25
        odd = np.arange(1, length // 2, 2)
        kernel[odd] = kernel[-odd] = -1 / (np.pi * odd) ** 2
        ramp = np.fft.rfft(kernel).real
        omega = 2 * np.pi * np.arange(length // 2 + 1) / length
        double = np.full(length // 2 + 1, 2.0)
        double[0] = 1
        # Rows of the image go down: y has the other sign. Pixel 0 of the transform is n // 2.
        delta = n // 2 - (n - 1) / 2
        cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
        u, v = (-omega * sine).ravel(), (omega * cosine).ravel()
        phase = np.exp(1j * omega * ((n - 1) / 2 + delta * (cosine - sine))) * (ramp * double / length * np.pi / count)

        def run():
            spectra = (np.fft.rfft(scan, length) * phase).ravel()
            return finufft.nufft2d1(u, v, spectra, (n, n), isign=1, eps=1e-3, nthreads=1, upsampfac=1.25).real
        return run
    if name == "adrt":
        import adrt
        size = 1 << (n - 1).bit_length()
        lines = np.zeros((4, 2 * size - 1, size), np.float32)
        return lambda: adrt.bdrt(lines)  # the back-projection only
    if name == "u-net":
        import onnxruntime
        module, options = unet(), onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        weights = module.random_weights(UNET_WIDTHS, UNET_CLASSES, 1)
        model = module.model(weights, UNET_WIDTHS, [str(i) for i in range(UNET_CLASSES)], UNET_SIZE)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        image = np.random.default_rng(2).random((1, 1, UNET_SIZE, UNET_SIZE), np.float32)
        return lambda: session.run(None, {"slice": image})[0]
    raise ValueError(name)


def version_of(name):
    try:
        return importlib.metadata.version({"astra": "astra-toolbox", "u-net": "onnxruntime"}.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return ""


def child(arguments):
    name = arguments.child
    try:
        import numpy as np
        n, turns = arguments.size, 2 if "fan" in name else 1
        angles = np.arange(turns * arguments.angles) * np.pi / arguments.angles
        scan = sinogram(np, angles, n) if turns == 1 else fan_sinogram(np, angles, n * 21 // 20, n)
        run = own(np, arguments.library, name, angles, scan, n, arguments.slices) if name in OWN | HALVES else \
            peer(np, name, angles, scan, n)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    times = []
    if arguments.runs > 1:  # the first may be slow; iterations of peers would go on
        run()
    for _ in range(arguments.runs):
        start = time.process_time()
        image = run()
        times.append(time.process_time() - start)
    slices = arguments.slices if name in OWN else 1
    result = {"seconds": min(times) / slices, "version": version_of(name)}
    if image.shape == (arguments.size, arguments.size):
        place = np.arange(arguments.size) - (arguments.size - 1) / 2
        inside = place[:, None] ** 2 + place[None] ** 2 <= (arguments.size / 2 - 2) ** 2
        difference = (image - phantom(np, arguments.size))[inside]
        result["rmse"] = float(np.sqrt(np.mean(difference ** 2)))
        if arguments.save:
            np.save(arguments.save, np.where(inside, image, 0))
    if name == "u-net":
        result["gmac"] = unet().macs(UNET_WIDTHS, UNET_CLASSES, UNET_SIZE) / 1e9
    print(json.dumps(result))


def ask(arguments, name, slices, runs, save=""):
    environment = dict(os.environ, **{variable: "1" for variable in SINGLE})
    size, angles = (number // (2 if name in HALVES or name in ASTRA else 1) for number in
                    (arguments.size, arguments.angles))
    command = [sys.executable, __file__, arguments.library, "--child", name, "--size", str(size), "--angles",
               str(angles), "--slices", str(slices), "--runs", str(runs), "--save", save]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--size", type=int, default=511)
    parser.add_argument("--angles", type=int, default=360)
    parser.add_argument("--slices", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--child")
    parser.add_argument("--save", default="")
    arguments = parser.parse_args()
    if arguments.child:
        return child(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return compare(arguments, folder)


def compare(arguments, folder):
    results = {}
    for name in [*OWN, *PEERS, *(() if arguments.time else (*HALVES, *ASTRA))]:
        for slices in ((1, 32) if arguments.time and name in OWN else (1,)):
            save = os.path.join(folder, name + ".npy")
            got = ask(arguments, name, slices, 5 if arguments.time else 1, save)
            if "missing" in got:
                print(f"{name:14} missing: {got['missing']}")
                continue
            results[name, slices] = got
            print(f"{name:14} {slices:3} slices {got['seconds'] * 1e3:9.2f} ms a slice" +
                  (f"  RMSE {got['rmse']:.5f}" if "rmse" in got else ""))
    if ("astra", 1) not in results:
        return 77
    rmse = {name: got.get("rmse") for (name, slices), got in results.items() if slices == 1}
    faults = [f"the RMSE of {name} is above {most} of that of {other}" for name, other, most in BOUNDS
              if name in rmse and not rmse[name] <= most * rmse[other]]
    for name, other, most in ALIKE:
        if (other, 1) in results:
            import numpy as np
            one, two = (np.load(os.path.join(folder, each + ".npy")) for each in (name, other))
            difference = float(np.sqrt(np.mean((one - two) ** 2)))
            print(f"{name} and {other} differ by {difference:.1e}, may by {most:.0e}")
            if not difference <= most:
                faults.append(f"{name} and {other} differ")
    for fault in faults:
        print("FAIL:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
