"""ONNX models of a few bytes, in protobuf's wire format (onnx.proto)."""


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    """A message, a text, or a number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def node(kind, attributes=b""):
    return field(1, field(4, kind) + attributes)


def model(spec, graph=node("Identity"), labels=None):
    """spec: what fake_onnxruntime.cpp does; graph: the content of GraphProto."""
    properties = field(14, field(1, "labels") + field(2, labels)) if labels else b""
    return field(1, 7) + field(2, "fake:" + spec + ";") + field(7, graph) + properties
