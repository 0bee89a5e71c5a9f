"""The examples of docs/python.md, in order, in an empty directory."""

import distributed
import manual

import vershina

# A cluster within this process instead of one that needs certificates.
CLUSTER = (
    "share = os.getcwd()\n"
    "os.makedirs(share + '/data'); os.makedirs(share + '/sealed'); Path(share, 'data/file').write_bytes(b'text')"
)


# The reason for which a section cannot run here.
WITHOUT = {"Devices": "they need one: test_devices has them"}
try:
    import vershina.tomography  # noqa: F401
except ImportError as absent:
    WITHOUT["Tomography"] = str(absent)


def test_examples(tmp_path, monkeypatch, capsys):
    made = []
    client = distributed.Client

    def local(address=None, security=None):
        assert address is None or (address.startswith("tls://") and security.require_encryption)
        made.append(client(processes=False, n_workers=1, dashboard_address=None))
        return made[-1]

    monkeypatch.setattr(distributed, "Client", local)
    monkeypatch.chdir(tmp_path)
    names = {}
    done = manual.run(WITHOUT, {"Many machines": CLUSTER}, names)
    sections = ["", "Hashes", "Ciphers", "Authenticated encryption", "MACs", "Sealed files",
                "Batches over NumPy arrays", "Many machines", "Many machines", "Tomography", "Tomography"]  # fmt: skip
    assert done == [section for section in sections if section not in WITHOUT]
    assert len(made) == 2
    out = capsys.readouterr().out
    assert vershina.streebog256(b"text").hexdigest() + "  data/file\n" in out
    assert "1 key 0\n2 key 0\n" in out
    if "Tomography" in done:
        assert abs(names["slices"][0, 32, 32] - 1) < 0.05
        assert abs(names["volume"][0, 28:36, 28:36].mean() - 1 / 20) < 0.002 and abs(names["center"] - 31.5) < 0.3
    sealed, office = names["sealed"], names["office"]
    for name, content in (
        ("report.pdf.sealed", bytes(100_000)),
        ("log.sealed", b"line\n"),
        ("text.sealed", b"line\n"),
        ("sealed/file.sealed", b"text"),
    ):
        sealed.open(name, name + ".opened", [office])
        assert (tmp_path / (name + ".opened")).read_bytes() == content
    assert names["verdicts"].all() and len(sealed.inspect("report.pdf.sealed").recipients) == 2
