"""Sample tables for the wiring plan: the templates, unusual tables and random ones."""

from collections.abc import Sequence
from pathlib import Path

import hypothesis.strategies as st

from firmware.config.display_config import CHIPS, DisplayConfig
from firmware.config.table_config import (
    BUTTONS,
    DEFAULT_TABLE_TOML,
    LAMPS,
    SPOTS,
    ControlsConfig,
    FieldsConfig,
    ReaderConfig,
    TableConfig,
    load_config,
)
from firmware.plan.templates import TEMPLATES, template_file
from firmware.voice.settings import Settings

FREE = (4, 5, 6, *range(12, 28))  # GPIO pins not used by I2C or SPI0
KITS = {name: load_config(template_file(name)) for name in TEMPLATES}
DEFAULT = load_config(DEFAULT_TABLE_TOML)
NAMED = {**KITS, "default": DEFAULT}


def table(
    readers: Sequence[ReaderConfig] = (ReaderConfig("play", 0, 0),),
    display: DisplayConfig | None = None,
    lamps: dict[str, int] | None = None,
    controls: ControlsConfig | None = None,
    buzzer_pin: int | None = None,
    tilt_pin: int | None = None,
    in_turn: bool = False,
) -> TableConfig:
    """Return a table with these parts and no others."""
    return TableConfig(
        file=Path("table.toml"),
        settings=Settings("en"),
        names=(),
        readers=tuple(readers),
        fields=FieldsConfig(in_turn, 0.001),
        display=display,
        lamps=lamps or {},
        controls=controls,
        buzzer_pin=buzzer_pin,
        tilt_pin=tilt_pin,
        voice="silent",
    )


def readers(count: int) -> tuple[ReaderConfig, ...]:
    """Return *count* readers on SPI0, all except the first with a select pin."""
    first = ReaderConfig("play", 0, 0, reset_pin=25)
    pins = range(16, 15 + count)
    others = (
        ReaderConfig(spot, 0, 1, reset_pin=25, select_pin=pin)
        for spot, pin in zip(SPOTS[1:], pins, strict=False)
    )
    return (first, *others)


NINE = table(readers(9), DisplayConfig((128, 64), 1, 0x3C, False, "sh1106"), in_turn=True)


@st.composite
def tables(draw: st.DrawFn) -> TableConfig:
    """Draw a table with random parts on random pins."""
    free: list[int] = draw(st.permutations(FREE))

    def take() -> int:
        return free.pop()

    spots = draw(st.lists(st.sampled_from(SPOTS[1:]), unique=True, max_size=8))
    on_reset = take() if draw(st.booleans()) else None
    on_table = [ReaderConfig("play", 0, 0, on_reset)]
    on_table += [ReaderConfig(spot, 0, 1, on_reset, take()) for spot in sorted(spots)]
    display = DisplayConfig((128, 64), 1, 0x3D, False, draw(st.sampled_from(CHIPS)))
    controls = None
    if draw(st.booleans()):
        encoder = (take(), take()) if draw(st.booleans()) else None
        names = BUTTONS[:3] if encoder else BUTTONS
        pressed = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        controls = ControlsConfig(encoder, {name: take() for name in pressed})
    buzzer_pin = take() if draw(st.booleans()) else None
    lamps = draw(st.lists(st.sampled_from(LAMPS), unique=True, max_size=len(free)))
    return table(
        on_table,
        display if draw(st.booleans()) else None,
        {lamp: take() for lamp in lamps},
        controls,
        buzzer_pin,
        draw(st.booleans()),
    )
