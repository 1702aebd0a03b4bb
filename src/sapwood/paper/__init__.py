"""Every experiment of the paper, one module per figure or table; `reproduce` runs them all.

Each module, `figure_1` to `figure_6`, `table_1`, `table_2` and `findings`, has a function `reproduce` that runs it
alone.
"""

from sapwood.paper.claims import Claim
from sapwood.paper.experiment import Experiment, Result
from sapwood.paper.reproduction import EXPERIMENTS, Reproduction, reproduce
from sapwood.paper.settings import Settings
from sapwood.paper.sources import data_folder

__all__ = ["EXPERIMENTS", "Claim", "Experiment", "Reproduction", "Result", "Settings", "data_folder", "reproduce"]
