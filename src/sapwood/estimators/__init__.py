"""The face of learners for scikit-learn."""

from sapwood.estimators.classifier import TreeClassifier

__all__ = ["TreeClassifier"]
