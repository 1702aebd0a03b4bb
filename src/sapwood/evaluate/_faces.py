"""What evaluation knows of the models that it is given: the learner of ours that one is a face of, if it is."""

from __future__ import annotations

from typing import Any

from sapwood.learner import TreeLearner

__all__ = ["learner_of", "name_of", "parameters_of", "reads_matrices"]


def learner_of(model: Any) -> TreeLearner | None:
    """Return the learner that a model is, has, or has as the last step of a pipeline."""
    if isinstance(model, TreeLearner):
        return model
    steps = getattr(model, "steps", None)
    if isinstance(steps, dict) and steps:
        return learner_of(list(steps.values())[-1])
    learner = getattr(model, "learner", None)
    return learner if isinstance(learner, TreeLearner) else None


def reads_matrices(model: Any) -> bool:
    """Whether a model is a learner of ours, or scikit-learn's face of one: what its matrices say is known."""
    return isinstance(model, TreeLearner) or (learner_of(model) is not None and hasattr(model, "batch_of"))


def name_of(model: Any) -> str:
    """Return the class of a model."""
    return model.kind.name if isinstance(model, TreeLearner) else type(model).__name__


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters of a model, by name, in their order; none if it does not tell."""
    if isinstance(model, TreeLearner):
        return dict(sorted(model.parameters.items()))
    get_params = getattr(model, "get_params", None) or getattr(model, "_get_params", None)
    return {} if get_params is None else dict(get_params())
