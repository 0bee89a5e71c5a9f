#!/usr/bin/env python3
"""OpenVPN whose data channel is Kuznyechik in CBC with HMAC over Streebog, through the provider of this build: two ends
in network namespaces, which this program makes and removes itself; gostprov at either end, as witness.

Usage: openvpn.py BUILD    Exits with 77, skipped, where namespaces, TUN, OpenVPN 2.6 or gostprov cannot be had.
"""
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

TAG = "vsho%d" % os.getpid()
NAMES = [TAG + "l", TAG + "r"]
CIPHER = "kuznyechik-cbc"
AUTHS = {"md_gost12_256": "id-tc26-gost3411-12-256", "md_gost12_512": "id-tc26-gost3411-12-512"}  # and OpenSSL's names
MIB = 1 << 20

# Either side of a TCP connection inside the tunnel: the server prints the SHA-256 of what it gets.
SERVER = """
import hashlib, socket
s = socket.create_server(("10.8.0.2", 7000))
print("listens", flush=True)
c, digest = s.accept()[0], hashlib.sha256()
for data in iter(lambda: c.recv(1 << 16), b""): digest.update(data)
print(digest.hexdigest())
"""
CLIENT = """
import socket, sys
s = socket.create_connection(("10.8.0.2", 7000), 20)
s.sendall(sys.stdin.buffer.read())
"""


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120, **more)


def why_not(modules):
    """Why this cannot run, or nothing."""
    if os.geteuid() != 0:
        return "root is needed for namespaces and devices"
    for program in ("ip", "ping", "openssl", "openvpn"):
        if not shutil.which(program):
            return "the program %s is missing" % program
    version = subprocess.run(["openvpn", "--version"], capture_output=True, text=True, check=False).stdout
    if not re.match(r"OpenVPN (2\.[6-9]|[3-9])", version):
        return "OpenVPN 2.6 or later is needed for --providers: " + version.splitlines()[0]
    if not os.path.exists(os.path.join(modules, "vershina.so")):
        return "THE OPENSSL PROVIDER WAS NOT BUILT"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    gostprov = ["openssl", "list", "-providers", "-provider", "gostprov"]
    if subprocess.run(gostprov, capture_output=True, check=False, env=environment(None)).returncode:
        return "THE GOST ENGINE'S PROVIDER IS NOT INSTALLED (Debian: libengine-gost-openssl)"
    try:
        run("ip", "netns", "add", NAMES[0])
        run("ip", "-n", NAMES[0], "tuntap", "add", "t0", "mode", "tun")
        return None
    except subprocess.CalledProcessError as error:
        return "no network namespaces or TUN devices: " + error.stderr.strip()
    finally:
        subprocess.run(["ip", "netns", "delete", NAMES[0]], check=False, capture_output=True)


def environment(modules):
    env = {k: v for k, v in os.environ.items() if k not in ("OPENSSL_CONF", "OPENSSL_MODULES")}
    return {**env, "OPENSSL_CONF": "/dev/null", **({"OPENSSL_MODULES": modules} if modules else {})}


class Ends:
    """Two ends of OpenVPN, each with a provider, and a certificate of ordinary ECDSA."""

    def __init__(self, folder, modules):
        self.folder, self.modules, self.processes = folder, modules, []
        self.prints = []
        for side in "lr":
            run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/CN=" + side, "-days", "2", "-keyout", side + ".key", "-out", side + ".crt", cwd=folder,
                env=environment(None))
            out = run("openssl", "x509", "-in", side + ".crt", "-noout", "-fingerprint", "-sha256", cwd=folder,
                      env=environment(None)).stdout
            self.prints.append(out.split("=")[1].strip())

    def start(self, i, provider, auth):
        side, other = "lr"[i], 1 - i
        with open(os.path.join(self.folder, side + ".conf"), "w", encoding="ascii") as f:
            f.write("\n".join([
                "providers default " + provider, "data-ciphers " + CIPHER, "auth " + auth,
                "dev tun", "local 10.78.0.%d" % (i + 1), "remote 10.78.0.%d" % (other + 1), "proto udp",
                "ifconfig 10.8.0.%d 10.8.0.%d" % (i + 1, other + 1), ("tls-server\ndh none", "tls-client")[i],
                "cert %s.crt" % side, "key %s.key" % side, "peer-fingerprint " + self.prints[other],
                "ping 1", "verb 4", ""]))
        with open(self.log(i), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(
                ["ip", "netns", "exec", NAMES[i], "openvpn", "--config", side + ".conf"], cwd=self.folder,
                env=environment(self.modules if provider == "vershina" else None), stdout=log, stderr=log))

    def log(self, i):
        return os.path.join(self.folder, "lr"[i] + ".log")

    def said(self, i):
        with open(self.log(i), encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=30)
        self.processes = []

    def are_up(self):
        """Waits for both; returns whether they came up."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if all("Initialization Sequence Completed" in self.said(i) for i in (0, 1)):
                return True
            if any(process.poll() is not None for process in self.processes):
                return False
            time.sleep(0.1)
        return False


def inside(i, *words, **more):
    return run("ip", "netns", "exec", NAMES[i], *words, **more)


def pings(size):
    return subprocess.run(["ip", "netns", "exec", NAMES[0], "ping", "-q", "-c", "3", "-i", "0.2", "-W", "5", "-s",
                           str(size), "10.8.0.2"], capture_output=True, text=True, check=False)


def transfer(data):
    """Sends data from left to right by TCP; returns the SHA-256 that arrives."""
    server = subprocess.Popen(["ip", "netns", "exec", NAMES[1], sys.executable, "-c", SERVER], stdout=subprocess.PIPE,
                              text=True)
    try:
        assert server.stdout.readline() == "listens\n"
        subprocess.run(["ip", "netns", "exec", NAMES[0], sys.executable, "-c", CLIENT], input=data, check=True,
                       timeout=120)
        return server.communicate(timeout=60)[0].strip()
    finally:
        server.kill()
        server.wait()


def passes(ends, providers, auth, data):
    """Returns the fault between two ends, or None."""
    for i in (0, 1):
        ends.start(i, providers[i], auth)
    try:
        if not ends.are_up():
            return "not up:\n" + ends.said(0) + ends.said(1)
        for i in (0, 1):
            chosen = re.search(r"\bData Channel: cipher '([^']*)', auth '([^']*)'", ends.said(i))
            if not chosen or chosen[1] != CIPHER or chosen[2] not in (auth, AUTHS[auth]):
                return "another cipher was chosen:\n" + ends.said(i)
        for size in (0, 1, 15, 16, 17, 100, 1000, 1372, 4000):
            result = pings(size)
            if result.returncode or " 0% packet loss" not in result.stdout:
                return "ping of %d bytes:\n%s%s" % (size, result.stdout, ends.said(0) + ends.said(1))
        if transfer(data) != hashlib.sha256(data).hexdigest():
            return "TCP arrived changed"
        errors = [line for i in (0, 1) for line in ends.said(i).splitlines() if "packet error" in line]
        return "\n".join(errors) or None
    finally:
        ends.stop()


def main():
    modules = os.path.join(os.path.abspath(sys.argv[1]), "ossl-modules")
    reason = why_not(modules)
    if reason:
        print("openvpn: skipped: " + reason)
        return 77
    seed = int(os.environ.get("VERSHINA_TEST_SEED") or time.time())
    print("openvpn: VERSHINA_TEST_SEED=%d" % seed)
    data = random.Random(seed).randbytes(8 * MIB)
    failures = 0
    with tempfile.TemporaryDirectory(prefix=TAG) as folder:
        try:
            for name in NAMES:
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "link", "add", "v0", "netns", NAMES[0], "type", "veth", "peer", "name", "v0", "netns", NAMES[1])
            for i, name in enumerate(NAMES):
                run("ip", "-n", name, "address", "add", "10.78.0.%d/24" % (i + 1), "dev", "v0")
                run("ip", "-n", name, "link", "set", "v0", "up")
            ends = Ends(folder, modules)
            for providers in (("vershina", "vershina"), ("vershina", "gostprov"), ("gostprov", "vershina")):
                for auth in AUTHS:
                    wrong = passes(ends, providers, auth, data)
                    print("openvpn: %s, %s: %s" % (" to ".join(providers), auth, wrong or "right"))
                    failures += wrong is not None
            # The above means something only if this fails: ends of different HMAC understand nothing.
            ends.start(0, "vershina", "md_gost12_256")
            ends.start(1, "vershina", "md_gost12_512")
            deaf = ends.are_up() and pings(100).returncode != 0
            ends.stop()
            print("openvpn: different HMACs: %s" % ("nothing passes, right" if deaf else "PASSES, OR NOT UP"))
            failures += not deaf
        finally:
            for name in NAMES:
                subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
