"""Environments for research: each game as an environment of PettingZoo, with action masks.

An *agent* is the player at one seat. It gets an *observation* of what that player may know, and a
*mask* of the *actions* that the rules allow. A *world* is a game with all its hidden pieces. It
works without PettingZoo. The robots' record of the game (their *books*) deals the pieces and
applies the rules; tests compare it with the engine after every act.

PettingZoo is an optional dependency, the extra ``rl``. Only ``sim.envs.aec``,
``sim.envs.parallel``, ``sim.envs.registry`` and the modules named after a game and a version import
it.

This room may import ``sim.deal`` and the rooms below it. Only tests and a command import it.
"""

from importlib import import_module
from types import ModuleType
from typing import Any


def env(game: str, **options: Any) -> Any:
    """Return the environment of *game*, which raises clear errors when it is misused.

    *options* are those of ``sim.envs.aec.TableEnv``.
    """
    return _module("aec").wrapped_env(game, **options)


def raw_env(game: str, **options: Any) -> Any:
    """Return the environment of *game* without the wrappers that check how it is used."""
    return _module("aec").TableEnv(game, **options)


def parallel_env(game: str, **options: Any) -> Any:
    """Return *game* with PettingZoo's parallel interface: all agents act in every step."""
    return _module("parallel").TableParallelEnv(game, **options)


def _module(name: str) -> ModuleType:
    """Import the module *name* of this room, which needs PettingZoo.

    Raises:
        ImportError: PettingZoo is not installed.
    """
    try:
        return import_module(f"{__name__}.{name}")
    except ImportError as missing:
        text = f'{missing}. The environments need PettingZoo: pip install "pettingzoo>=1.27,<2"'
        raise ImportError(text) from missing
