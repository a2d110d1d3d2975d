"""A house with Wi-Fi around the emulated Pi, to which the image's own client connects.

QEMU has no radio. The kernel's ``mac80211_hwsim`` makes two: the image's client finds one of them,
as it finds a Pi's. The other is in a separate network namespace, the house, where Debian's
hostapd makes the network and busybox gives out addresses. They are not part of the image:
``.ci/test-image`` fetches them, and they are put onto the state partition.

Source: the kernel's Documentation/networking/mac80211_hwsim; hostapd's example hostapd.conf;
IEEE 802.11, J.4 (a network's key from its password).
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from tests.image.machine import ETC, HERE, ImagePi

SCRIPT = f"/var/{HERE}/house"
UNITS = {
    "tests-radios": f"""\
[Unit]
Description=Two radios for the tests
Before=iwd.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh {SCRIPT} radios
""",
    "tests-house": f"""\
[Unit]
Description=The house's Wi-Fi for the tests
Requires=tests-radios.service
After=tests-radios.service
Before=iwd.service
[Service]
ExecStart=/bin/sh {SCRIPT} network
""",
}
COMMON = """\
interface=wlan1
driver=nl80211
ctrl_interface=/run/house/control
country_code=DE
ieee80211d=1
hw_mode=g
channel=6
"""
STATIONS = "hostapd_cli -p /run/house/control all_sta"
JOINED = re.compile(r"^((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\nflags=.*\[AUTHORIZED\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HouseNetwork:
    """The house's network: its *name*, its *password* (None: it has none), and WPA3 or WPA2."""

    name: str
    password: str | None
    is_wpa3: bool = False

    @property
    def settings(self) -> str:
        """The text of hostapd's configuration."""
        text = f"{COMMON}ssid2={self.name.encode().hex()}\n"
        if self.password is None:
            return text
        text += "wpa=2\nrsn_pairwise=CCMP\n"
        if self.is_wpa3:
            return f"{text}wpa_key_mgmt=SAE\nieee80211w=2\nsae_password={self.password}\n"
        key = hashlib.pbkdf2_hmac("sha1", self.password.encode(), self.name.encode(), 4096, 32)
        return f"{text}wpa_key_mgmt=WPA-PSK\nwpa_psk={key.hex()}\n"


class House:
    """The house around *pi*, whose power is off; *parts* is the archive of its programs."""

    def __init__(self, pi: ImagePi, parts: Path, network: HouseNetwork) -> None:
        self._pi = pi
        for name in ("house", "ask_name.py"):
            pi.put(f"{HERE}/{name}", Path(__file__).with_name(name).read_text(encoding="utf-8"))
        pi.put(f"{HERE}/house.conf", network.settings)
        pi.debugfs(f"write {parts} {HERE}/house.tar")
        for name, text in UNITS.items():
            pi.put(f"{ETC}/{name}.service", text)
            pi.debugfs(
                f"mkdir {ETC}/multi-user.target.wants",
                f"symlink {ETC}/multi-user.target.wants/{name}.service ../{name}.service",
            )

    def change(self, network: HouseNetwork) -> None:
        """Replace the network by another one."""
        self._pi.write(f"/var/{HERE}/house.conf", network.settings)
        # Its power may be cut next, and a file that was written just now would be empty then.
        done = self._pi.do("sync && systemctl restart tests-house")
        assert done.code == 0, done.said

    def do(self, command: str) -> str:
        """Run a *command* in the house; return what it prints."""
        return self._pi.do(f"sh {SCRIPT} {command}").said

    def guests(self) -> list[str]:
        """Return the MAC addresses of the devices that have joined with the right password."""
        return JOINED.findall(self.do(STATIONS))

    def wait_for_a_guest(self) -> None:
        """Wait until a device has joined."""
        self._pi.wait_for(f"sh {SCRIPT} {STATIONS} | grep -c AUTHORIZED", ("1",))

    def wait_for_nobody(self) -> None:
        """Wait until no device has joined."""
        self._pi.wait_for(f"sh {SCRIPT} {STATIONS} | grep -c AUTHORIZED", ("0",))

    def wait_for_a_refusal(self) -> None:
        """Wait until a device has tried a password that is not the network's."""
        log = "cat /run/house/hostapd.log"
        self._pi.wait_for(f"{log} | grep -o -m 1 PSK-MISMATCH", ("PSK-MISMATCH",))

    def addresses(self) -> list[str]:
        """Return the addresses that were given out and answer."""
        given = re.findall(
            r"\b10\.77\.0\.\d+\b", self.do("busybox dumpleases -f /run/house/leases")
        )
        return [one for one in given if "1 packets received" in self.do(f"busybox ping -c 1 {one}")]

    def ask_for(self, name: str) -> list[str]:
        """Return the addresses of the computer *name*, which is asked for by multicast DNS."""
        return self.do(f"python3 /var/{HERE}/ask_name.py {name}").split()

    def rules(self) -> str:
        """Return the rules of the country that the kernel uses for the Pi's radio."""
        return self.do("pi iw reg get")
