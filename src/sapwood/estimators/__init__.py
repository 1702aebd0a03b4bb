"""The face of learners for scikit-learn."""

from sapwood.estimators.classifier import TreeClassifier
from sapwood.estimators.forest import ForestClassifier
from sapwood.estimators.forgetting import ForgettingClassifier, ForgottenRecord

__all__ = ["ForestClassifier", "ForgettingClassifier", "ForgottenRecord", "TreeClassifier"]
