"""Trees and forests on Apache Spark, by the extra ``spark`` and Java 17 or later.

For data that lives on a cluster, or is too large for one machine; one process is faster for all else (docs/spark.md).
"""

from sapwood.spark.classifier import SparkTreeClassifier
from sapwood.spark.columns import SparkDataError
from sapwood.spark.forest import SparkForestClassifier
from sapwood.spark.model import SparkForestModel, SparkTreeModel
from sapwood.spark.splits import FoundSplit, best_splits

__all__ = [
    "FoundSplit",
    "SparkDataError",
    "SparkForestClassifier",
    "SparkForestModel",
    "SparkTreeClassifier",
    "SparkTreeModel",
    "best_splits",
]
