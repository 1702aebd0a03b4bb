"""Evaluation of models over a stream: each point is predicted before it is learned."""

from sapwood.evaluate.metrics import F1, Accuracy, ConfusionMatrix, Kappa, KappaTemporal, LogLoss, Metric, RocAuc

__all__ = ["F1", "Accuracy", "ConfusionMatrix", "Kappa", "KappaTemporal", "LogLoss", "Metric", "RocAuc"]
