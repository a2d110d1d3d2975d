"""Tests of the pytest plugin, by small separate test suites."""

import sys

import pytest

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

SILENT_READER = """
    def test_reader(fakepi):
        import spidev
        opened = spidev.SpiDev(0, 0)
        assert opened.xfer2([0x6E | 0x80, 0])[1] == 0x99
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder for tests, in which only the plugin of fakepi is loaded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


def run(suite: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    suite.makepyfile(test)
    plugins = ("-p", "fakepi.pytest_plugin", "-p", "no:cacheprovider")
    return suite.runpytest(*plugins, "--strict-markers", *options)


def test_the_fixture_has_a_reader_and_a_display(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        from fakepi import Ntag213

        def test_usual(fakepi):
            fakepi.field.lay(Ntag213("04:A1:B2:C3:D4:E5:F6"))
            assert fakepi.spi(0, 0).xfer2([0x6E | 0x80, 0]) == [0, 0x92]
            assert not fakepi.oled.is_lit
            fakepi.clock.advance(0.5)
            assert fakepi.clock.now() >= 0.5
        """,
    )
    result.assert_outcomes(passed=1)


def test_each_test_gets_its_own_pi_and_modules(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import sys
        seen = []

        def test_first(fakepi):
            import spidev
            seen.append((fakepi, spidev))

        def test_second(fakepi):
            import spidev
            assert fakepi is not seen[0][0]
            assert spidev is not seen[0][1]

        def test_without():
            assert not hasattr(sys.modules.get("spidev"), "SpiDev") or "fakepi" not in (
                sys.modules["spidev"].__doc__ or ""
            )
        """,
    )
    result.assert_outcomes(passed=3)


def test_the_marker_says_what_is_wired(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import pytest

        @pytest.mark.fakepi(spi={"1.2": "mfrc522"}, i2c={"1.0x3D": "sh1106"}, seed=3)
        def test_wired(fakepi):
            assert list(fakepi.fields) == ["1.2"]
            assert list(fakepi.displays) == ["1.0x3D"]

        @pytest.mark.fakepi(spy={})
        def test_wrong(fakepi):
            pass
        """,
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ['the marker fakepi has the unknown argument "spy". Did you mean "spi"? Its *']
    )


def test_a_misspelt_argument_of_the_marker_is_explained(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import pytest

        @pytest.mark.fakepi(realtime=True)
        def test_wrong(fakepi):
            pass
        """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            'the marker fakepi has the unknown argument "realtime". Did you mean "real_time"? '
            "Its arguments are: spi, i2c, uart, pins, seed, physics, host, real_time, keep, limit"
        ]
    )


def test_a_marker_that_replaces_the_wiring_says_so(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import pytest

        @pytest.mark.fakepi(pins={20: "button"})
        def test_reader(fakepi):
            import spidev
            spidev.SpiDev(0, 0)
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*no chip is wired to SPI 0.0. Note that the marker of this test replaces the whole "
            "default wiring, and has only [[]pins]"
        ]
    )


POLLS_FOR_EVER = """
    import pytest

    def wait_for_tag():
        import spidev, time
        opened = spidev.SpiDev(0, 0)
        opened.xfer2([0x15 << 1, 0x40])
        opened.xfer2([0x14 << 1, 0x83])  # the field is on
        while True:
            try:
                for register, value in ((0x01, 0), (0x09, 0x26), (0x01, 0x0C), (0x0D, 0x87)):
                    opened.xfer2([register << 1, value])
                time.sleep(0.0005)
                time.sleep(PAUSE)
            except Exception:  # as many drivers do
                pass
"""


@pytest.mark.parametrize(("pause", "marker"), [("0.1", ""), ("0", "@pytest.mark.fakepi(limit=1)")])
def test_a_wait_without_end_fails_the_test(suite: pytest.Pytester, pause: str, marker: str) -> None:
    test = f"""
    {marker}
    def test_wait(fakepi):
        wait_for_tag()
    """
    result = run(suite, POLLS_FOR_EVER.replace("PAUSE", pause) + test)
    result.assert_outcomes(failed=1)
    seconds = 1 if marker else 120
    result.stdout.fnmatch_lines(
        [
            f"E *TimeLimitError: {seconds} virtual seconds passed in this test, and it still waits."
            " Last on the air: * ms  air 0.0   REQA -> no answer: no tag in the field. "
            "Lay a tag before the wait, *limit=600*fakepi_limit*",
            "*fakepi: the last traffic on the buses and on the air*",
            "*REQA -> no answer: no tag in the field",
        ]
    )


def test_the_limit_comes_from_the_settings(suite: pytest.Pytester) -> None:
    suite.makeini("[pytest]\nfakepi_limit = 2.5\n")
    result = run(
        suite,
        """
        import time
        import pytest

        def test_short(fakepi):
            time.sleep(2.4)

        def test_long(fakepi):
            time.sleep(2.6)

        @pytest.mark.fakepi(limit=3)
        def test_marked(fakepi):
            time.sleep(2.6)
        """,
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*TimeLimitError: 2.5 virtual seconds passed*"])


def test_a_program_with_its_own_time_has_no_other_limit(suite: pytest.Pytester) -> None:
    (suite.path / "sleeper.py").write_text("import time\nwhile True:\n    time.sleep(1)\n")
    result = run(
        suite,
        """
        import time

        def test_program(fakepi):
            fakepi.run("sleeper.py", seconds=500)
            time.sleep(119)

        def test_wait_after_a_program(fakepi):
            fakepi.run("sleeper.py", seconds=500)
            time.sleep(121)
        """,
    )
    result.assert_outcomes(passed=1, failed=1)


def test_real_seconds_count_if_time_is_real(suite: pytest.Pytester) -> None:
    test = """
    @pytest.mark.fakepi(real_time=True, limit=0.2)
    def test_wait(fakepi):
        wait_for_tag()
    """
    result = run(suite, POLLS_FOR_EVER.replace("PAUSE", "0.05") + test)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*TimeLimitError: 0.2 real seconds passed*"])


def test_the_marker_says_how_tags_and_the_computer_behave(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import time
        import pytest
        from fakepi import PI_ZERO_2, ExactPhysics

        @pytest.mark.fakepi(host=PI_ZERO_2)
        def test_host(fakepi):
            assert list(fakepi.fields) == ["0.0"]  # the usual wiring
            time.sleep(0.01)
            assert 0.01005 < fakepi.clock.now() < 0.013

        @pytest.mark.fakepi(physics=ExactPhysics(0), seed=2)
        def test_physics(fakepi):
            assert fakepi.field._physics == ExactPhysics(0)

        def test_none(fakepi):
            time.sleep(0.01)
            assert fakepi.clock.now() == 0.01
        """,
    )
    result.assert_outcomes(passed=3)


def test_the_nearest_file_says_what_is_wired(suite: pytest.Pytester) -> None:
    suite.makefile(".toml", fakepi='[spi]\n"0.1" = "mfrc522"\n')
    suite.makefile(".toml", other='[i2c]\n"1.0x3D" = "ssd1306"\n')
    result = run(
        suite,
        """
        import pytest

        def test_nearest(fakepi):
            assert list(fakepi.fields) == ["0.1"]

        @pytest.mark.fakepi("other.toml")
        def test_named(fakepi):
            assert list(fakepi.displays) == ["1.0x3D"]
        """,
    )
    result.assert_outcomes(passed=2)


def test_a_failure_shows_the_trace_and_the_display(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        def test_reader(fakepi):
            import smbus2
            fakepi.spi(0, 0).xfer2([0x6E | 0x80, 0])
            smbus2.SMBus(1).write_i2c_block_data(0x3C, 0, [0x8D, 0x14, 0xA5, 0xAF, 0xDB, 0x40])
            assert False
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*fakepi: the last traffic on the buses and on the air*",
            "*ms  spi 0.0   read VersionReg = 92h",
            "*ms  i2c 1.0x3C 8Dh 14h (charge pump), A5h (all pixels on), AFh (display on), *",
            "*fakepi: the display 1.0x3C*",
            "|" + "\u28ff" * 64 + "|",
            "*the display 1.0x3C got what its data sheet does not define (this fails no test)*",
            "SSD1306: command DBh: 40h is not defined by the data sheet",
        ]
    )


def test_a_program_lies_beside_its_test(suite: pytest.Pytester) -> None:
    folder = suite.mkdir("door")
    (folder / "door.py").write_text("IS_OPEN = True\n")
    (folder / "test_door.py").write_text(
        "def test_door(fakepi):\n    assert fakepi.run('door.py', seconds=1)['IS_OPEN']\n"
    )
    result = suite.runpytest("-p", "fakepi.pytest_plugin", "door/test_door.py")
    result.assert_outcomes(passed=1)


def test_a_long_trace_says_how_much_it_leaves_out(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        def test_long(fakepi):
            for value in range(150):
                fakepi.spi(0, 0).xfer2([0x02, value])
            assert False
        """,
    )
    result.stdout.fnmatch_lines(["(the last 100 of 150 lines; fakepi.trace.lines() has all)"])


def test_a_success_shows_nothing(suite: pytest.Pytester) -> None:
    result = run(suite, SILENT_READER.replace("0x99", "0x92"), "-rA")
    result.assert_outcomes(passed=1)
    assert "fakepi: the last" not in result.stdout.str()


def test_time_is_real_if_the_marker_says_so(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import time
        import pytest
        real = time.sleep

        @pytest.mark.fakepi(real_time=True, keep=["smbus2"])
        def test_real(fakepi):
            import sys
            assert time.sleep is real
            assert "smbus2" not in sys.modules

        def test_virtual(fakepi):
            assert time.sleep is not real
        """,
    )
    result.assert_outcomes(passed=2)


def test_importing_the_plugin_changes_nothing(suite: pytest.Pytester) -> None:
    """A process imports it and compares: no drop-in, no chip and no other function of time."""
    suite.makepyfile(
        check="""
        import sys, time, threading
        before = time.sleep, threading.Event.wait
        import fakepi.pytest_plugin
        assert (time.sleep, threading.Event.wait) == before
        assert not {"spidev", "smbus2", "RPi", "lgpio"} & set(sys.modules)
        assert not any(name.startswith("fakepi.dropins") for name in sys.modules)
        """
    )
    assert suite.run(sys.executable, "check.py").ret == 0


def test_a_wait_that_nothing_can_end_fails_at_once_and_not_at_the_limit(
    suite: pytest.Pytester,
) -> None:
    result = run(
        suite,
        """
        import pytest

        def test_edge(fakepi):
            import RPi.GPIO as GPIO
            GPIO.setmode(GPIO.BCM)
            GPIO.setup(17, GPIO.IN)
            with pytest.raises(RuntimeError, match="would wait for ever: nothing is scheduled"):
                GPIO.wait_for_edge(17, GPIO.RISING)
            assert fakepi.clock.now() < 1
        """,
    )
    result.assert_outcomes(passed=1)


def test_a_test_may_have_no_limit(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
        import time
        import pytest

        @pytest.mark.fakepi(limit=float("inf"))
        def test_long(fakepi):
            time.sleep(1_000_000)
        """,
    )
    result.assert_outcomes(passed=1)
