"""The face of learners for scikit-learn."""

from sapwood.estimators.classifier import StreamingTreeClassifier

__all__ = ["StreamingTreeClassifier"]
