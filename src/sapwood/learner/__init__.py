"""Learning and predicting, below the estimators, the river classifiers, the evaluation and the command line.

Nothing here needs scikit-learn.
"""

from sapwood.learner.answers import Answers
from sapwood.learner.dynamic_learner import DynamicLearner
from sapwood.learner.dynamic_model import DynamicModel
from sapwood.learner.forest_learner import ForestLearner
from sapwood.learner.forest_model import ForestModel
from sapwood.learner.learner import Point, TreeLearner
from sapwood.learner.make_learner import make_learner
from sapwood.learner.model import TreeModel

__all__ = [
    "Answers",
    "DynamicLearner",
    "DynamicModel",
    "ForestLearner",
    "ForestModel",
    "Point",
    "TreeLearner",
    "TreeModel",
    "make_learner",
]
