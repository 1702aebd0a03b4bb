"""Points for a learner: the batch, which is the type for several points, and how data becomes one."""

from sapwood.data.batch import Batch, Columns, Numbers
from sapwood.data.category import Category, Threshold
from sapwood.data.labels import NO_LABELS, Labels, as_label
from sapwood.data.matrix import binary_batch

__all__ = ["NO_LABELS", "Batch", "Category", "Columns", "Labels", "Numbers", "Threshold", "as_label", "binary_batch"]
