"""Fake /dev and /sys trees, each with the GPIO chips of one Raspberry Pi model and kernel."""

from collections.abc import Mapping
from pathlib import Path

Chips = Mapping[int, tuple[str, str]]  # number: (device tree's compatible string, label)

_EXPANDER = ("raspberrypi,firmware-gpio", "raspberrypi-exp-gpio")
_SOC_5 = [
    ("brcm,brcmstb-gpio", f"gpio-brcmstb@{at}")
    for at in ("107d508500", "107d508520", "107d517c00", "107d517c20")
]
_RP1 = ("raspberrypi,rp1-gpio", "pinctrl-rp1")

PI_3: Chips = {0: ("brcm,bcm2835-gpio", "pinctrl-bcm2835"), 1: _EXPANDER}
PI_4: Chips = {0: ("brcm,bcm2711-gpio", "pinctrl-bcm2711"), 1: _EXPANDER}
PI_5_FIRST: Chips = {**dict(enumerate(_SOC_5)), 4: _RP1}  # kernels up to 6.6.44
PI_5: Chips = {0: _RP1, **dict(enumerate(_SOC_5, 10))}  # /dev/gpiochip4 is then a link to gpiochip0
PI_5_FROM_11: Chips = {**dict(enumerate(_SOC_5, 11)), 15: _RP1}  # some kernels from 6.12.96 on


def gpio_chips(root: Path, chips: Chips, *, has_tree: bool = True) -> None:
    """Create the files of *chips* below *root*, with device tree entries if *has_tree* is set."""
    for number, (compatible, _) in chips.items():
        node = root / f"dev/gpiochip{number}"
        node.parent.mkdir(parents=True, exist_ok=True)
        node.touch()
        device = root / f"sys/bus/gpio/devices/gpiochip{number}"
        device.mkdir(parents=True)
        if has_tree:
            (device / "of_node").mkdir()
            (device / "of_node/compatible").write_bytes(compatible.encode() + b"\0")


def label_in(chips: Chips, node: Path) -> str:
    """Return the label that the kernel reports for *node*, the device file of one of *chips*."""
    return chips[int(node.name.removeprefix("gpiochip"))][1]
