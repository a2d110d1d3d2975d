"""The Pi's connections: ``name``, ``ssh_key`` and ``[wifi]`` in ``tapmat.toml``.

OpenSSH's client logs in from this computer, through an emulated network card. Debian's hostapd is
the network that the Pi's own Wi-Fi client joins. All tests share one Pi and run in this order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.image.conftest import image_pi
from tests.image.house import House, HouseNetwork
from tests.image.laptop import Laptop
from tests.image.machine import ImagePi, open_ports
from tests.ports import free_port

PASSWORD = "correct horse"
HOME = HouseNetwork("Our network", PASSWORD)
CARD = "/boot/firmware"
READERS = "ssh iwd"  # they start if the card says so
CABLE = "networkctl status 'en*' | grep -o -m 1 routable"


@dataclass(frozen=True, slots=True)
class Home:
    """The Pi, the house with Wi-Fi that it is in, and a laptop with the keys "ann" and "bob"."""

    pi: ImagePi
    house: House
    laptop: Laptop
    keys: dict[str, str]

    def settings(self, key: str | None, wifi: HouseNetwork | None) -> str:
        """Return the text of ``tapmat.toml``: *key* may log in, and *wifi* is to be joined."""
        text = 'kit = "smallest"\nlanguage = "en"\nname = "games"\n'
        if key is not None:
            text += f'ssh_key = "{self.keys[key]}"\n'
        if wifi is not None:
            text += f"[wifi]\nname = '{wifi.name}'\ncountry = \"DE\"\n"
            text += "" if wifi.password is None else f"password = '{wifi.password}'\n"
        return text

    def start_again(self, text: str) -> None:
        """Switch the Pi off, write *text* into ``tapmat.toml``, and switch it on."""
        self.pi.close()
        self.pi.edit("tapmat.toml", text)
        self.pi.power_on()

    def apply(self, text: str) -> None:
        """Write *text* into ``tapmat.toml``, and start what reads it, as at a start."""
        self.pi.do(f"mount -o remount,rw {CARD}")
        self.pi.write(f"{CARD}/tapmat.toml", text)
        self.pi.do(f"mount -o remount,ro {CARD}")
        done = self.pi.do(
            f"systemctl stop {READERS}; systemctl restart tapmat-card; systemctl start {READERS}"
        )
        assert done.code == 0, done.said


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    port = free_port()
    laptop = Laptop(tmp_path_factory.mktemp("laptop"), port)
    pi = image_pi(port)
    house = House(pi, pi.folder / "house.tar", HOME)
    made = Home(pi, house, laptop, {name: laptop.make_key(name) for name in ("ann", "bob")})
    try:
        made.start_again(made.settings("ann", HOME))
        yield made
    finally:
        pi.close()


# --- logging in ---


def test_the_owner_of_the_key_logs_in(home: Home) -> None:
    home.pi.wait_for("systemctl is-active ssh", ("active",))
    home.pi.wait_for(CABLE, ("routable",))
    done = home.laptop.log_in("hostname; id -un; tapmat update", "ann")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("games\npi\n")
    assert "Keys trusted for updates" in done.stdout


def test_the_owner_may_use_sudo(home: Home) -> None:
    done = home.laptop.log_in("sudo -n id -u", "ann")
    assert done.stdout == "0\n", done.stderr


@pytest.mark.parametrize(("user", "key"), [("pi", "bob"), ("root", "ann"), ("tapmat", "ann")])
def test_nobody_else_logs_in(home: Home, user: str, key: str) -> None:
    done = home.laptop.log_in("true", key, user)
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr


@pytest.mark.parametrize("user", ["pi", "root"])
def test_no_password_opens(home: Home, user: str) -> None:
    """Not even the right one: it is set for this test."""
    home.pi.do(f"cp -p /etc/shadow /run/shadow; echo {user}:secret | chpasswd")
    done = home.laptop.log_in_with_password("true", "secret", user)
    home.pi.do("cat /run/shadow > /etc/shadow")
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr


# --- Wi-Fi ---


def joins(home: Home) -> None:
    """Wait until the Pi has joined the house's network and has an address in it that answers."""
    home.house.wait_for_a_guest()
    home.pi.wait_for("networkctl status 'wl*' | grep -o routable", ("routable",))
    assert len(home.house.addresses()) == 1


def test_it_joins_the_network_at_its_start(home: Home) -> None:
    joins(home)
    report = home.pi.do(f"cat {CARD}/tapmat-report.txt").said
    assert "- wifi: Our network, DE" in report
    assert PASSWORD not in report


def test_its_name_leads_to_it(home: Home) -> None:
    assert home.house.ask_for("games.local") == home.house.addresses()


def test_the_radio_keeps_to_the_channels_of_the_country(home: Home) -> None:
    assert "country DE" in home.house.rules()


def test_with_a_wrong_password_it_stays_outside_and_the_table_runs(home: Home) -> None:
    wrong = "wrong horse"
    home.apply(home.settings("ann", HouseNetwork(HOME.name, wrong)))
    home.house.wait_for_a_refusal()
    assert home.house.guests() == []
    assert home.pi.do("systemctl is-active tapmat").said == "active\n"
    assert wrong not in home.pi.do(f"journalctl --no-pager; cat {CARD}/tapmat-report.txt").said


@pytest.mark.parametrize(
    "network",
    [
        HouseNetwork("Our network", "correct horse", is_wpa3=True),
        HouseNetwork("Our network", None),
        HouseNetwork("Caf\u00e9 #1; \u00bd=[a]", r' \s"#;=,[x]%\\ $(id) '),
    ],
    ids=["WPA3", "open", "signs"],
)  # fmt: skip
def test_it_joins_other_networks(home: Home, network: HouseNetwork) -> None:
    home.house.change(network)
    home.apply(home.settings("ann", network))
    joins(home)


# --- later starts ---


def test_after_a_restart_the_pi_has_the_same_host_key_and_joins_again(home: Home) -> None:
    home.house.change(HOME)
    home.start_again(home.settings("bob", HOME))
    joins(home)
    done = home.laptop.log_in("hostname", "bob", host_key="yes")
    assert done.stdout == "games\n", done.stderr


def test_a_key_that_is_no_longer_on_the_card_is_refused(home: Home) -> None:
    assert "Permission denied" in home.laptop.log_in("true", "ann").stderr


def test_without_settings_nobody_can_connect(home: Home) -> None:
    assert home.laptop.greeting().startswith(b"SSH-2.0-")
    home.apply(home.settings(None, None))
    assert home.laptop.greeting() == b""
    assert open_ports(home.pi) == []
    assert home.pi.do("systemctl is-active iwd").said == "inactive\n"
    home.house.wait_for_nobody()
    assert "passphrase" not in home.pi.do("cat /var/lib/iwd/*").said.lower()
