"""The table of all parameters: name, type, constraint, default and, in one sentence, meaning."""

from __future__ import annotations

from typing import get_args

from sapwood.parameters.parameter import Parameter
from sapwood.parameters.values import LARGEST_COUNT, LARGEST_LIMIT, Flag, Number, OfClasses, Seed, Whole, Word
from sapwood.parameters.words import (
    Combining,
    Criterion,
    LeafPrediction,
    OnDrift,
    Revision,
    Search,
    SplitTest,
    Stopping,
    Subspace,
    WhenFull,
)

__all__ = ["MAY_CHANGE", "PARAMETERS", "parameter"]

PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "n_estimators",
        "int",
        Whole(1, 1 << 16),
        10,
        "The number of trees.",
    ),
    Parameter(
        "lambda_value",
        "float",
        Number(least=0, largest=100),
        0.0,
        "The mean of the Poisson distribution of how often a tree learns a point; 0 is once each.",
        "The draws depend on the seed, the tree and the number of the point alone. They weigh points for counts and "
        "models, and are no evidence for a split.",
    ),
    Parameter(
        "max_features",
        "float",
        Number(least=1e-9, largest=1),
        0.6,
        "The share of the features that may be split on, above 0 and at most 1.",
        "A seeded hash of the feature draws it, so that features may be new at any time. Models of leaves see all "
        "features.",
    ),
    Parameter(
        "subspace",
        "Subspace",
        Word(get_args(Subspace)),
        "tree",
        "Whether each tree draws the features that may be split on, or each node.",
    ),
    Parameter(
        "combining",
        "Combining",
        Word(get_args(Combining)),
        "mixed",
        "How the answers of the trees become one.",
        "Mixed: a small regression of the stream weights their log-odds, and Bayes' rule says how far that mix, or a "
        "single tree, is to be trusted. Votes: each tree has one vote. Accuracy: the "
        "probabilities of each tree, times the share of points that it was right about. Inverse error: over the square "
        "of its error of late, an average to which the last point adds a hundredth.",
    ),
    Parameter(
        "on_drift",
        "OnDrift",
        Word(get_args(OnDrift)),
        "swap",
        "What happens when the error of a tree rises, as a detector of change (ADWIN) sees it.",
        "Swap: at a warning a tree begins to learn in the background, and at a drift it takes the place. Reset worst: "
        "at a drift of any tree, the one with the largest error starts anew. A forest of one tree is not watched.",
    ),
    Parameter(
        "warning_delta",
        "float",
        Number(between=(0, 1)),
        0.01,
        "The chance that a look at the error of a tree warns of a change where there is none.",
    ),
    Parameter(
        "criterion",
        "Criterion",
        Word(get_args(Criterion)),
        "entropy",
        "The impurity measure by which splits are scored.",
        'Entropy gains are in bits. "kearns_mansour" takes two classes only.',
    ),
    Parameter(
        "search",
        "Search",
        Word(get_args(Search)),
        "certified",
        "The search that finds the best split of a leaf.",
        "The first two are exact and make the same tree. The last takes two classes only and finds a split whose score "
        "is at most 1 + alpha times the best.",
    ),
    Parameter(
        "alpha",
        "float",
        Number(least=1e-6, largest=1e9),
        0.1,
        "The relative error allowed to the approximate search; other searches ignore it.",
    ),
    Parameter(
        "split_test",
        "SplitTest",
        Word(get_args(SplitTest)),
        "hoeffding",
        "The statistical test that decides when a split is made.",
        "Hoeffding's bound is the usual choice, although it is made for means, which gains are not. McDiarmid's bound "
        "[MCD]_ holds for the gains of entropy and Gini, and takes far more points. The Gaussian bound [GAU]_ uses the "
        "variances of the two gains. Evidence, for entropy, splits a leaf once *some* feature informs about the class "
        "there, with an error probability of delta for the whole tree at all times; it has no use for tau, and a point "
        "is one point, whatever its weight.",
    ),
    Parameter(
        "beta",
        "float",
        Number(least=0),
        0.0,
        "The regret allowed: how far the gain of a test may be below that of the best one.",
        "With 0 the tree is the one that a batch learner builds from the points held.",
    ),
    Parameter(
        "lazy",
        "bool",
        Flag(),
        True,
        "Whether the tree is put right when it is asked, and not after every point.",
        "The answers are the same.",
        option="",
    ),
    Parameter(
        "stopping",
        "Stopping",
        Word(get_args(Stopping)),
        "evidence",
        "What a node must show before it is split: evidence that a feature informs about the class, or nothing.",
        "Evidence is for entropy, and does not depend on the order of the points. Without it a tree grows until its "
        "leaves are pure, as that of ID3.",
    ),
    Parameter(
        "delta",
        "float",
        Number(between=(0, 0.5)),
        1e-7,
        "The error probability of a split test, between 0 and 0.5: of evidence for the whole tree, else for one test.",
    ),
    Parameter(
        "tau",
        "float",
        Number(least=0),
        0.05,
        "Two splits count as equally good, and the better one is made, once the bound is below this.",
    ),
    Parameter(
        "grace_period",
        "int",
        Whole(1, LARGEST_COUNT),
        1,
        "The number of points between two split tests of a leaf; 1 tests after every point.",
    ),
    Parameter(
        "min_samples_reevaluate",
        "int",
        Whole(1, LARGEST_COUNT),
        20,
        "The number of points between two checks of whether an inner node still has the best test.",
    ),
    Parameter(
        "revision",
        "Revision",
        Word(get_args(Revision)),
        "replace",
        "What becomes of the subtree of a node whose test is replaced: it is given up, or restructured.",
        "Restructure: the new test is pulled up, its two sides keep the tests, classes and models of the leaves below, "
        "and what nodes have counted is moved or merged. Where max_leaves or max_bytes leave no room for that, the "
        "subtree is given up.",
    ),
    Parameter(
        "min_gain",
        "float",
        Number(least=0),
        0.0,
        "The gain that a split must exceed to be made.",
    ),
    Parameter(
        "min_samples",
        "int",
        Whole(2, LARGEST_COUNT),
        2,
        "The number of points that a node must have to be split.",
    ),
    Parameter(
        "max_depth",
        "int | None",
        Whole(0, LARGEST_LIMIT, optional=True),
        None,
        "The maximum number of tests between the root and a leaf.",
    ),
    Parameter(
        "max_leaves",
        "int | None",
        Whole(1, LARGEST_LIMIT, optional=True),
        None,
        "The maximum number of leaves.",
    ),
    Parameter(
        "max_size",
        "int",
        Whole(1, LARGEST_LIMIT),
        1_024,
        "The number of inner nodes beyond which a tree is cut.",
        "Of a forest, that of its first tree; each further tree may have twice as many as the one before it.",
    ),
    Parameter(
        "when_full",
        "WhenFull",
        Word(get_args(WhenFull)),
        "drop_root",
        "What is given up of a tree that has more inner nodes than it may.",
        "Drop root: the root, its oldest node, with all below it but the subtree in which the last split was made. "
        "Reset: the whole tree.",
    ),
    Parameter(
        "max_bytes",
        "int | None",
        # Less has no room for a node that learns.
        Whole(1 << 16, LARGEST_LIMIT, optional=True),
        None,
        "The maximum memory of the tree in bytes, which holds after every point.",
        "The nodes with the least to win stop looking for splits, and leaves start again when there is room. The names "
        "of the features are not counted: see max_name_bytes.",
    ),
    Parameter(
        "max_name_bytes",
        "int | None",
        # The names of features that are shared take a quarter of it.
        Whole(1 << 20, LARGEST_LIMIT, optional=True),
        None,
        "The maximum memory of the names of features in bytes, beside max_bytes.",
        "Names that are new when it is used up share 1,024 features, by a hash, so that new words never take more "
        "memory. Columns, which are called by their numbers, and the names of numbers are not counted. Growth by "
        "batches, whose names machines agree on, takes None only.",
        is_of_core=False,
        is_left_out=True,
    ),
    Parameter(
        "leaf_prediction",
        "LeafPrediction",
        Word(get_args(LeafPrediction)),
        "mixed",
        "The model that predicts in a leaf.",
        "The majority class, naive Bayes over the active features, a logistic regression, if adaptive whichever of "
        "these has been right most often in the leaf, or if mixed all of them, weighted by a small regression of the "
        "leaf's own.",
    ),
    Parameter(
        "drift",
        "bool",
        Flag(),
        False,
        "Whether the tree follows a stream that changes.",
        "Every node then watches its errors, and where they have risen an alternate tree learns beside it, which takes "
        "its place when it predicts better. Growth by batches ignores it.",
    ),
    Parameter(
        "window_size",
        "int",
        Whole(1, LARGEST_LIMIT),
        50_000,
        "The number of most recent points that are kept, from which nodes and alternates are made.",
    ),
    Parameter(
        "drift_delta",
        "float",
        Number(between=(0, 1)),
        0.002,
        "The chance that a look at the error of a node, or of a tree, finds a change where there is none.",
    ),
    Parameter(
        "swap_delta",
        "float",
        Number(between=(0, 1)),
        0.05,
        "The probability that an alternate is ever taken although it is no better, or dropped although no worse.",
    ),
    Parameter(
        "patience",
        "int",
        Whole(1, LARGEST_LIMIT),
        10_000,
        "The number of points after which an alternate that has not won is dropped.",
        "In a sliding window a contest has at most as many points as the window, and after one that is lost no other "
        "begins beside the same node for twice the sum of both, unless the error of the root rises.",
    ),
    Parameter(
        "half_life",
        "int | None",
        Whole(1, LARGEST_LIMIT, optional=True),
        10_000,
        "The number of points of a leaf after which what it has learned of its models counts half.",
        "Of leaves that mix, the weights of their models; of adaptive ones, how often each has been right. With None, "
        "all points count alike.",
    ),
    Parameter(
        "binarize",
        "float | None",
        Number(least=0, optional=True),
        0.0,
        "A feature of a sparse matrix is on where its number is greater than this.",
        "With None, every number must be 0 or 1. Dense arrays, tables and single points are not concerned: there a "
        "number is a number.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
    ),
    Parameter(
        "sparse_numbers",
        "bool",
        Flag(),
        False,
        "Whether the size of a number in a sparse matrix counts.",
        "A number above 1 then has the further feature that it is above 1, one above 2 also that it is above 2, and so "
        "on at powers of two, for counts of words and the like.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
    ),
    Parameter(
        "class_weight",
        "ClassWeight | None",
        OfClasses(),
        None,
        "The weight of each class, by which the weights of its points are multiplied.",
        "A class without one has the weight 1. Balanced, for fit alone: inverse to the share of the class among the "
        "points.",
        is_of_core=False,
    ),
    Parameter(
        "shuffle",
        "bool",
        Flag(),
        True,
        "Whether fit takes the points in random order.",
        "If not, and always in partial_fit and learn_one, they are taken in the order given.",
        option="",
        is_of_core=False,
        is_of_fit=True,
    ),
    Parameter(
        "batch_growth",
        "bool",
        Flag(),
        False,
        "Whether the tree grows between batches, so that it is a function of what each batch holds.",
        "The order of the rows of a call then leaves no trace, nor how they were divided among machines. Every leaf is "
        "asked once per batch and splits for good; regressions of leaves take one step per batch. It learns by fit and "
        "partial_fit, with whole weights.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
        is_left_out=True,
    ),
    Parameter(
        "sub_batches",
        "int",
        # Each is a pass over the batch.
        Whole(1, 1 << 16),
        1,
        "The number of parts of a batch that are learned one after the other with batch_growth; others ignore it.",
        "A leaf can split once per part. Which part a row belongs to is a hash of the row, not its place.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
        is_left_out=True,
    ),
    Parameter(
        "n_jobs",
        "int | None",
        Whole(-(1 << 16), 1 << 16, optional=True),
        None,
        "The number of threads that learn; None is 1, and -1 all processors.",
        "What is learned does not depend on it, and it may change at any time.",
        unset="1",
        is_of_core=False,
        may_change=True,
    ),
    Parameter(
        "random_state",
        "int | np.random.RandomState | None",
        Seed(),
        None,
        "The seed of the order of points in fit, of the rounding of weights and of the choice between equal splits.",
        "With None, the seed is 0, and of splits that are equally good the feature that was seen first is taken.",
        option="seed",
        unset="0, and of equal splits that of the feature seen first",
        is_of_core=False,
    ),
)
"""Every parameter, in the order of the constructors."""

MAY_CHANGE = tuple(each.name for each in PARAMETERS if each.may_change)
"""The names of those that may change while a model learns."""

_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def parameter(name: str) -> Parameter:
    """Return a parameter by its name."""
    return _BY_NAME[name]
