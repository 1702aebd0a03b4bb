"""A forest that learns on Spark: many trees over the same batches, each with its own draws."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.parameters import Whole, parameter
from sapwood.spark.ensemble import ForestEnsemble
from sapwood.spark.learner import SUB_BATCHES, SparkLearner
from sapwood.spark.model import SparkForestModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkForestClassifier"]

_LARGEST_SEED = 2**63 - 1  # of a signed integer, as other programs have them


class SparkForestClassifier(SparkLearner):
    """A forest that learns on Apache Spark, in batches: online bagging over the deltas of `SparkTreeClassifier`.

    Every tree learns a row as often as a Poisson distribution draws, and the answer is the mean of their probabilities.
    One pass over a part of a batch counts for all trees.

    Guarantee:

    - What `SparkTreeClassifier` promises: the same bytes for any partitions and order of rows, and exactly once.
    - A draw is a hash of the seed, the tree, the batch and what the row holds, so that a retry draws the same. Each
      tree is the ``StreamingTreeClassifier(batch_growth=True)`` whose ``partial_fit`` is given the draws as weights.
    - What is drawn is no evidence: a tree splits on the evidence of rows, each once.

    Not promised: other draws for rows of one batch that are equal in features and label.

    Parameters
    ----------
    n_estimators
        The number of trees.
    lambda_value
        The mean of the draws; with 0 every tree learns every row once, and all trees are the same.
    seed
        What the draws depend on, from 0 on.
    features, label, weight, classes, sub_batches, reducers, shards, parameters
        As `SparkTreeClassifier` has them, but that ``split_test`` must be "evidence" where rows are drawn. A weight
        multiplies the draw.
    """

    _own = frozenset({"n_estimators", "lambda_value", "seed"})

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        lambda_value: float = 1.0,
        seed: int = 0,
        features: str | Sequence[str] = "features",
        label: str = "label",
        weight: str | None = None,
        classes: Sequence[Hashable],
        sub_batches: int = SUB_BATCHES,
        reducers: int | None = None,
        shards: int | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(
            features,
            label,
            weight=weight,
            classes=classes,
            sub_batches=sub_batches,
            reducers=reducers,
            shards=shards,
            parameters=parameters,
        )
        self.n_estimators: int = self._check(parameter("n_estimators").value, "n_estimators", n_estimators)
        self.lambda_value: float = self._check(parameter("lambda_value").value, "lambda_value", lambda_value)
        self.seed: int = self._check(Whole(0, _LARGEST_SEED), "seed", seed)
        if self.lambda_value > 0 and self._parameters["split_test"] != "evidence":
            raise ValueError(
                "SparkForestClassifier: split_test must be 'evidence' unless lambda_value is 0, because draws are no "
                f"evidence, got {self._parameters['split_test']!r}"
            )

    def _new(self) -> ForestEnsemble:
        return ForestEnsemble([self._grower() for _ in range(self.n_estimators)], self.lambda_value, self.seed)

    def _n_trees(self) -> int:
        return self.n_estimators

    def fit(self, frame: DataFrame, checkpoint: str | None = None) -> SparkForestModel:
        """Learn from a DataFrame at rest, which is one batch, number 0 to the draws.

        With a checkpoint, as `SparkTreeClassifier.fit`.
        """
        saved, shards = self._learn_at_rest(frame, checkpoint)
        return SparkForestModel(saved.model, self.features, saved.recent_progress, shards=shards)
