"""Evaluation of models over a stream: each point is predicted before it is learned."""

from sapwood.evaluate._forest_growth import TreeSeen, TreesSeen
from sapwood.evaluate._growth import ChangeSeen, SplitMade
from sapwood.evaluate._prequential import PrequentialRun, prequential
from sapwood.evaluate.evaluation import Evaluation
from sapwood.evaluate.metrics import (
    F1,
    Accuracy,
    CalibrationError,
    ConfusionMatrix,
    Kappa,
    KappaTemporal,
    LogLoss,
    Metric,
    ReliabilityCurve,
    RocAuc,
)

__all__ = [
    "F1",
    "Accuracy",
    "CalibrationError",
    "ChangeSeen",
    "ConfusionMatrix",
    "Evaluation",
    "Kappa",
    "KappaTemporal",
    "LogLoss",
    "Metric",
    "PrequentialRun",
    "ReliabilityCurve",
    "RocAuc",
    "SplitMade",
    "TreeSeen",
    "TreesSeen",
    "prequential",
]
