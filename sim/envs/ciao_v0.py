"""The environments of ``ciao`` in the form of PettingZoo's own modules, version 0."""

from functools import partial

from sim.envs.aec import TableEnv, wrapped_env
from sim.envs.parallel import TableParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(wrapped_env, "ciao")
raw_env = partial(TableEnv, "ciao")
parallel_env = partial(TableParallelEnv, "ciao")
