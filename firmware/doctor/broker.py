"""The check of the connection to an MQTT broker: its password, its service, and the broker."""

from collections.abc import Iterator

from firmware.config.mqtt_config import PASSWORD, MqttConfig
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import is_service_active

PART = "broker"
UNIT = "tapmat-mqtt"
WRITE_PASSWORD = (
    "Write the password into its first line: sudo install -m 640 -g tapmat /dev/stdin {}"
)
SWITCH_ON = "Switch it on, from tapmat's folder: sudo ./install-pi"
CHECK = "Start the broker, or correct broker and port under [mqtt] in table.toml"


def look_at_broker(computer: Computer, config: MqttConfig) -> Iterator[Finding]:
    """Check that the password can be read, that the service runs, and that the broker answers.

    The broker is not logged in to: a second client of the table's name would end the connection.
    """
    if not config.on:
        yield Finding(PART, Verdict.OK, "off in table.toml")
        return
    yield from _password(computer, config)
    if is_service_active(computer) and computer.run(("systemctl", "is-active", UNIT)) != "active":
        yield Finding(PART, Verdict.WARN, f"the service {UNIT} does not run", SWITCH_ON)
    where = f"{config.broker}:{config.port}"
    if problem := computer.reach(config.broker, config.port):
        found = f"nothing answers at {where}: {problem}"
        yield Finding(PART, Verdict.WARN, found, CHECK)
    else:
        yield Finding(PART, Verdict.OK, f"a program answers at {where}")


def _password(computer: Computer, config: MqttConfig) -> Iterator[Finding]:
    file = config.password_file
    if file is None or PASSWORD in computer.environment:
        return
    try:
        with file.open("rb"):
            return
    except PermissionError:  # on a Pi, only the table's own user may read it
        found = f"not checked: this user may not read {file}"
        yield Finding(PART, Verdict.SKIP, found, "Check it with: sudo tapmat doctor --quick")
    except OSError as error:
        found = f"its password file {file} cannot be read: {error.strerror or error}"
        yield Finding(PART, Verdict.FAIL, found, WRITE_PASSWORD.format(file))
