"""The parallel environment of PettingZoo: in every step, each agent gives an action."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from sim.envs.aec import METADATA, TableEnv, agent_of, with_mask

WAIT = "wait"  # the last action, the only one of an agent that does not act now


class TableParallelEnv(ParallelEnv):  # type: ignore[misc] # PettingZoo has no types
    """A ``TableEnv`` with the action *wait*, for the agents that do not act in a step.

    As at the table, an action that the mask forbids is refused: it changes nothing, and ``refused``
    is True in the agent's info. *options* are those of ``TableEnv``. Each step is one cycle.
    """

    metadata: Mapping[str, Any] = {**METADATA, "is_parallelizable": True}

    def __init__(self, game: str, max_cycles: int | None = None, **options: Any) -> None:
        self._env = TableEnv(game, **options)
        self._most = max_cycles
        self.metadata = {**self._env.metadata, "is_parallelizable": True}
        self.render_mode = self._env.render_mode
        self.possible_agents = self._env.possible_agents
        self.actions = (*self._env.actions, WAIT)
        self.state_space = self._env.state_space
        seen, many = self._env.observation_spaces[agent_of(0)]["observation"], len(self.actions)
        self.observation_spaces = {agent: with_mask(seen, many) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(many) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of *agent*'s observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of *agent*'s actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Deal a new game. With a *seed*, this game and those after it are always the same."""
        self._env.reset(seed, options)
        self.agents = self.possible_agents[:]
        self._done = 0
        return self._seen(), {agent: {"refused": False} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Do the action of the agent that acts now, and refuse what the others do not wait for."""
        env, wait = self._env, len(self.actions) - 1
        refused = {agent: {"refused": actions[agent] != wait} for agent in self.agents}
        actor = env.agent_selection
        is_allowed = int(actions[actor]) in env.world.legal
        refused[actor] = {"refused": not is_allowed}
        if is_allowed:
            env.step(actions[actor])
        self._done += 1
        is_cut = self._most is not None and self._done >= self._most
        truncations = {agent: env.truncations[agent] or is_cut for agent in self.agents}
        results = (dict(env.rewards), dict(env.terminations), truncations, refused)
        seen = self._seen()
        if env.world.is_over or any(truncations.values()):
            self.agents = []
        return (seen, *results)

    def _seen(self) -> dict[str, Any]:
        seen = {}
        for seat, agent in enumerate(self.possible_agents):
            observation = self._env.observe(agent)
            is_waiting = self._env.world.is_over or seat != self._env.world.actor
            observation["action_mask"] = np.append(observation["action_mask"], np.int8(is_waiting))
            seen[agent] = observation
        return seen

    def state(self) -> NDArray[np.int16]:
        """Return the observations of all agents, one after the other."""
        return self._env.state()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table's view, as ``TableEnv`` does."""
        return self._env.render()

    def close(self) -> None:
        """Remove the files of the table that was shown, if any."""
        self._env.close()

    def __str__(self) -> str:
        return str(self._env)
