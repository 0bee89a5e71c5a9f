#!/usr/bin/env python3
"""Compares libvershina-tomography with other programs: accuracy against the true phantom, and time.

Usage: peers.py LIBRARY [--time] [--size N] [--angles A]

LIBRARY is libvershina-tomography.so. Peers are those of astra-toolbox, scikit-image, finufft and adrt that Python finds
(PyPI). Each runs in a process of its own, on one thread, with the same sinogram, angles, filter and centre. The
sinogram is the modified Shepp-Logan phantom's exact line integrals, averaged over the bin; RMSE is inside the circle of
radius N/2 - 2. `u-net` is the network of 256 x 256 of the published work by ONNX Runtime, with random weights. Without
--time it is a check: FBP not above ASTRA's RMSE by more than 2 %, DFR not above FBP, HFBP's accurate setting within 12
% of FBP, and slices as like those of others as ALIKE says; exit status 1 if one fails, 77 if ASTRA is missing.

`vershina tomo bench --peers` has this script within it, behind UNET, the text of ../segmentation/unet.py, and runs it
with `- --child PEER`.
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
OWN = {"fbp": (1, 1), "dfr": (2, 1), "hfbp": (3, 1), "hfbp-fast": (3, 2)}
# Root of the mean square difference of slices that they may have in the circle: the same sums; the same transform with
# another kernel, eps 1e-3; another filter of the same ramp and other weights of a ray.
ALIKE = (("fbp", "scikit-image", 1e-6), ("dfr", "finufft", 2e-3), ("fbp", "astra", 1e-2))
PEERS = ("astra", "scikit-image", "finufft", "adrt", "u-net")
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


def own(np, library, name, angles, scan, slices):
    """Returns a function that reconstructs `slices` copies, and the first of them."""
    lib = ctypes.CDLL(library)
    geometry = Geometry(ctypes.sizeof(Geometry), 1, len(angles), angles.ctypes.data, scan.shape[1], 0, 0, 0, 0)
    algorithm, quality = OWN[name]
    options = Options(struct_size=ctypes.sizeof(Options), algorithm=algorithm, filter=1, interpolation=1,
                      quality=quality, angle_weights=1, padding=1, displaced=1, relaxation=1, tv_weight=.01, threads=1)
    plan = ctypes.c_void_p()
    assert lib.vsh_tomo_plan_new(ctypes.byref(plan), ctypes.byref(geometry), ctypes.byref(options)) == 0
    projections = np.ascontiguousarray(np.repeat(scan[:, None].astype(np.float32), slices, 1))
    volume = np.zeros((slices, scan.shape[1], scan.shape[1]), np.float32)

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
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../segmentation/unet.py")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    exec(text, module.__dict__)
    return module


def peer(np, name, angles, scan):
    count, n = scan.shape
    if name == "astra":
        import astra
        geometry = astra.create_proj_geom("parallel", 1.0, n, angles)
        volume = astra.create_vol_geom(n, n)
        projector = astra.create_projector("linear", geometry, volume)
        data = astra.data2d.create("-sino", geometry, scan.astype(np.float32))
        image = astra.data2d.create("-vol", volume)
        config = astra.astra_dict("FBP")
        config.update(ProjectorId=projector, ProjectionDataId=data, ReconstructionDataId=image)
        config["option"] = {"FilterType": "ram-lak"}
        algorithm = astra.algorithm.create(config)

        def run():
            astra.algorithm.run(algorithm)
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
        angles = np.arange(arguments.angles) * np.pi / arguments.angles
        scan = sinogram(np, angles, arguments.size)
        run = own(np, arguments.library, name, angles, scan, arguments.slices) if name in OWN else \
            peer(np, name, angles, scan)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    image, times = run(), []
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
    command = [sys.executable, __file__, arguments.library, "--child", name, "--size", str(arguments.size), "--angles",
               str(arguments.angles), "--slices", str(slices), "--runs", str(runs), "--save", save]
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
    for name in [*OWN, *PEERS]:
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
    faults = [text for fails, text in (
        (rmse["fbp"] > 1.02 * rmse["astra"], "FBP is above ASTRA's by more than 2 %"),
        (rmse["dfr"] > rmse["fbp"], "DFR is above FBP"),
        (rmse["hfbp"] > 1.12 * rmse["fbp"], "HFBP is above FBP by more than 12 %")) if fails]
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
