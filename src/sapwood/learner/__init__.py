"""Learning and predicting, below the estimators, the river classifiers, the evaluation and the command line.

Nothing here needs scikit-learn.
"""

from sapwood.learner.learner import Answers, Point, TreeLearner
from sapwood.learner.model import TreeModel

__all__ = ["Answers", "Point", "TreeLearner", "TreeModel"]
