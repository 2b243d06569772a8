"""The computation of all-MiniLM-L6-v2 as an ONNX graph that reads its weights in place from the safetensors file.

The graph takes token ids of texts of one length, so that there is no padding and no mask. Its weights are external
data: offsets into the published file, which is neither converted nor copied.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx

DIMENSION = 384
_LAYERS = 6
_HEADS = 12
_LAYER_NORM_EPSILON = 1e-12
_OPSET = 23
_IR_VERSION = 10


def serialised(weights: Path) -> bytes:
    """Return the ONNX model: `ids` (texts, tokens) int64 to `hidden` (texts, tokens, 384) float32.

    Source: BERT (Devlin et al. 2019) with the sizes of sentence-transformers/all-MiniLM-L6-v2.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    hidden = graph.embeddings()
    for layer in range(_LAYERS):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}.")
    graph.node("Identity", hidden, output="hidden")
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])]
    outputs = [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["texts", "tokens", DIMENSION])]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.initializers),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    return bytes(model.SerializeToString())


class _Graph:
    """Nodes and initializers as they are added; each method returns the name of the value that it adds."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self._tensors = json.loads(file.read(size))
        self._location = weights.name
        self._data_start = 8 + size
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def weight(self, name: str) -> str:
        from onnx import TensorProto

        start, end = self._tensors[name]["data_offsets"]
        tensor = TensorProto(
            name=name,
            data_type=TensorProto.FLOAT,
            dims=self._tensors[name]["shape"],
            data_location=TensorProto.EXTERNAL,
        )
        place = {"location": self._location, "offset": self._data_start + start, "length": end - start}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        self.initializers.append(tensor)
        return name

    def constant(self, name: str, values: list[int]) -> str:
        from onnx import TensorProto, helper

        self.initializers.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))
        return name

    def embeddings(self) -> str:
        zero = self.constant("zero", [0])
        length = self.node("Shape", "ids", start=1, end=2)
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "ids")
        segment = self.node("Gather", self.weight("embeddings.token_type_embeddings.weight"), zero)
        positions = self.node("Slice", self.weight("embeddings.position_embeddings.weight"), zero, length, zero)
        total = self.node("Add", self.node("Add", words, segment), positions)
        return self.layer_norm(total, "embeddings.LayerNorm")

    def layer(self, hidden: str, prefix: str) -> str:
        query, key, value = (
            self.linear(hidden, f"{prefix}attention.self.{part}") for part in ("query", "key", "value")
        )
        attention = self.node("Attention", query, key, value, q_num_heads=_HEADS, kv_num_heads=_HEADS)
        attended = self.residual(attention, hidden, f"{prefix}attention.output")
        inner = self.node("Gelu", self.linear(attended, f"{prefix}intermediate.dense"))
        return self.residual(inner, attended, f"{prefix}output")

    def residual(self, inner: str, hidden: str, prefix: str) -> str:
        total = self.node("Add", self.linear(inner, f"{prefix}.dense"), hidden)
        return self.layer_norm(total, f"{prefix}.LayerNorm")

    def linear(self, hidden: str, prefix: str) -> str:
        weight = self.node("Transpose", self.weight(f"{prefix}.weight"), perm=[1, 0])
        return self.node("Add", self.node("MatMul", hidden, weight), self.weight(f"{prefix}.bias"))

    def layer_norm(self, hidden: str, prefix: str) -> str:
        scale, bias = self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")
        return self.node("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=_LAYER_NORM_EPSILON)
