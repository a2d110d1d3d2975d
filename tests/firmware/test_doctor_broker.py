"""Tests of the doctor's check of the connection to a broker."""

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.config.mqtt_config import MqttConfig
from firmware.doctor.broker import look_at_broker
from firmware.doctor.computer import Computer, reach
from firmware.doctor.findings import Finding, Verdict

ON = MqttConfig(on=True, broker="house.local")


def findings(
    config: MqttConfig = ON, problem: str = "", active: str = "", **facts: str
) -> list[Finding]:
    """Return the findings on a computer whose units in *active* run."""

    def run(command: object) -> str | None:
        assert isinstance(command, tuple)
        assert command[:2] == ("systemctl", "is-active")
        return "active" if command[2].removesuffix(".service") in active.split() else None

    computer = replace(Computer(), run=run, reach=lambda *_: problem, environment=facts)
    return list(look_at_broker(computer, config))


def test_one_that_is_off_is_not_looked_for() -> None:
    def never(_host: str, _port: int) -> str:
        raise AssertionError("it is off")

    (found,) = look_at_broker(replace(Computer(), reach=never), MqttConfig())
    assert (found.verdict, found.found) == (Verdict.OK, "off in table.toml")


def test_a_broker_that_answers_is_in_order_and_one_that_does_not_has_a_reason() -> None:
    (found,) = findings()
    assert (found.verdict, found.found) == (Verdict.OK, "a program answers at house.local:1883")
    (found,) = findings(problem="Connection refused")
    assert (found.verdict, found.found) == (
        Verdict.WARN,
        "nothing answers at house.local:1883: Connection refused",
    )
    assert "[mqtt]" in found.remedy


def test_the_password_file_must_be_there_unless_the_environment_has_the_password(
    tmp_path: Path,
) -> None:
    config = replace(ON, password_file=tmp_path / "mqtt-password")
    assert config.password_file is not None
    found, _ = findings(config)
    assert (found.verdict, str(tmp_path) in found.remedy) == (Verdict.FAIL, True)
    assert "No such file" in found.found
    assert len(findings(config, TAPMAT_MQTT_PASSWORD="x")) == 1
    config.password_file.write_text("x\n")
    assert len(findings(config)) == 1


def test_on_a_pi_the_service_must_run_beside_the_table() -> None:
    assert [each.verdict for each in findings(active="tapmat")] == [Verdict.WARN, Verdict.OK]
    assert [each.verdict for each in findings(active="tapmat tapmat-mqtt")] == [Verdict.OK]


def test_a_port_is_reached_or_the_reason_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert reach("127.0.0.1", port) == ""
    assert "refused" in reach("127.0.0.1", port)


@pytest.mark.parametrize("host", ["nobody.invalid", "a" * 300])
def test_a_name_that_nobody_knows_has_a_reason_in_words(host: str) -> None:
    assert reach(host, 1883) != ""
