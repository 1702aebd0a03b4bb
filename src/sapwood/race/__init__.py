"""Race the searches against each other over one stream of points, and show the outcome."""

from sapwood.race.contest import Race, RaceEntry, RaceResult
from sapwood.race.picture import plot_race
from sapwood.race.run import race
from sapwood.race.table import print_table

__all__ = ["Race", "RaceEntry", "RaceResult", "plot_race", "print_table", "race"]
