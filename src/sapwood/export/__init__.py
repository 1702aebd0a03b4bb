"""Trees for other programs: as rules in SQL or Python, and in the format ONNX.

What is exported is a snapshot: later learning does not change it.
"""

from sapwood.export.onnx_graph import to_onnx
from sapwood.export.rules import to_rules

__all__ = ["to_onnx", "to_rules"]
