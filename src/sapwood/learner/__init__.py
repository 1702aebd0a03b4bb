"""What learns and answers below every face: that of scikit-learn, that of river, evaluation and the command line.

Nothing here needs scikit-learn.
"""

from sapwood.learner.learner import Answers, Point, TreeLearner
from sapwood.learner.model import TreeModel

__all__ = ["Answers", "Point", "TreeLearner", "TreeModel"]
