"""Evaluation of models over a stream: each point is predicted before it is learned."""

from sapwood.evaluate._growth import SplitMade
from sapwood.evaluate._prequential import PrequentialRun, prequential
from sapwood.evaluate.evaluation import Evaluation
from sapwood.evaluate.metrics import F1, Accuracy, ConfusionMatrix, Kappa, KappaTemporal, LogLoss, Metric, RocAuc

__all__ = [
    "F1",
    "Accuracy",
    "ConfusionMatrix",
    "Evaluation",
    "Kappa",
    "KappaTemporal",
    "LogLoss",
    "Metric",
    "PrequentialRun",
    "RocAuc",
    "SplitMade",
    "prequential",
]
