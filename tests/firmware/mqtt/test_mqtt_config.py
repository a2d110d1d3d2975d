"""The section [mqtt]: what table and connection read, and what a wrong key says."""

from pathlib import Path

import pytest

from firmware.common.errors import ConfigError
from firmware.config.mqtt_config import MqttConfig, load_mqtt
from firmware.config.table_config import load_config

READER = '[readers.play]\nspi = "0.0"\n'


def written(folder: Path, text: str) -> Path:
    file = folder / "table.toml"
    file.write_text(READER + text, encoding="utf-8")
    return file


def test_without_a_section_it_is_off(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    assert load_config(file).mqtt == load_mqtt(file) == load_mqtt(None) == MqttConfig(on=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on = true", MqttConfig(on=True)),
        ('broker = "10.0.0.7"\nport = 1900', MqttConfig(broker="10.0.0.7", port=1900)),
        ('broker = "fe80::1%eth0"', MqttConfig(broker="fe80::1%eth0")),
        ('broker = "::1"', MqttConfig(broker="::1")),
        ("tls = true", MqttConfig(tls=True, port=8883)),
        ('user = "ann"\nid = "den-2"', MqttConfig(user="ann", id="den-2")),
        ("home_assistant = false", MqttConfig(home_assistant=False)),
    ],
)
def test_table_and_connection_read_the_same(
    tmp_path: Path, text: str, expected: MqttConfig
) -> None:
    file = written(tmp_path, f"[mqtt]\n{text}\n")
    assert load_config(file).mqtt == load_mqtt(file) == expected


def test_files_are_beside_the_table_and_an_authority_means_tls(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    text = '[mqtt]\nca_file = "ca.pem"\npassword_file = "secret"\n'
    found = load_mqtt(written(tmp_path, text))
    assert found == MqttConfig(
        tls=True, port=8883, ca_file=tmp_path / "ca.pem", password_file=tmp_path / "secret"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'password = "Swordfish"',
            "mqtt.password is no place for a password. Write it into a separate file",
        ),
        ('id = "Den 2"', 'mqtt.id is "Den 2"; it must be a name of 1 to 32 lower-case letters'),
        ('id = "a__b"', 'mqtt.id is "a__b"; it must be a name'),
        (f'id = "{"a" * 33}"', "it must be a name"),
        ('id = "a/#"', "it must be a name"),
        ('broker = "mqtt://home"', "it must be a host name or IP address"),
        ('broker = "localhost:1883"', "without the port; write that under the key port"),
        ("port = 0", "mqtt.port is 0; it must be a port from 1 to 65535"),
        ('ca_file = "none.pem"', "and there is no such file"),
        ("password_file = 7", 'Write for example: password_file = "mqtt-password"'),
        ("tls = 1", "mqtt.tls is 1; it must be true or false"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, f"[mqtt]\n{text}\n")
    for load in (load_mqtt, load_config):
        with pytest.raises(ConfigError) as refused:
            load(file)
        assert message in str(refused.value)
        assert "Swordfish" not in str(refused.value)
