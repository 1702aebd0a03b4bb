"""Points on their way to a learner: one type for some points, and the rules by which anything becomes one."""

from sapwood.data.batch import Batch, Columns
from sapwood.data.labels import NO_LABELS, Labels, as_label
from sapwood.data.matrix import binary_batch

__all__ = ["NO_LABELS", "Batch", "Columns", "Labels", "as_label", "binary_batch"]
