"""The MFRC522 and the copies that are found on boards, with their versions, self tests and faults.

`MFRC522_PROFILES` has one entry for each, with its public source::

    chip = MFRC522_PROFILES["fm17522"].chip(clock, field)

May import: the standard library and fakepi.

Simplified: apart from what a profile says, a copy behaves as the MFRC522 does. For the versions
whose self test nobody has published, the result is 64 zeros.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import FIFO_BYTES, SELF_TEST_RESULTS, CollPos, Mfrc522
from fakepi.undefined import Undefined

DATA_SHEET = "MFRC522 data sheet, rev 3.9, 9.3.4.8 and 16.1.1"
ARDUINO_V2 = "https://github.com/OSSLibraries/Arduino_MFRC522v2, src/MFRC522v2.h"
ISSUES = "https://github.com/miguelbalboa/rfid/issues"


@dataclass(frozen=True, slots=True)
class Mfrc522Profile:
    """One type of reader chip: the MFRC522 in one version, or a copy.

    *source* is the publication of the facts, and *about* describes them. *self_test* is the result
    of the self test, or None if it is not known.
    """

    version: int
    about: str
    source: str
    self_test: bytes | None = None
    has_fixed_gain: bool = False

    def chip(
        self,
        clock: VirtualClock,
        field: RfField,
        *,
        collpos: CollPos = "frame",
        chance: Random | None = None,
        undefined: Undefined = "raise",
    ) -> Mfrc522:
        """Return a chip of this type with its antenna in *field*; see `Mfrc522`."""
        return Mfrc522(
            clock,
            field,
            version=self.version,
            collpos=collpos,
            self_test=self.self_test or bytes(FIFO_BYTES),
            has_fixed_gain=self.has_fixed_gain,
            chance=chance,
            undefined=undefined,
        )


MFRC522_PROFILES: Mapping[str, Mfrc522Profile] = {
    "philips-90": Mfrc522Profile(
        0x90,
        "version 0.0, by Philips",
        f"MFRC522 preliminary specification, rev 2.0 (2005), 16.1; bytes in {ARDUINO_V2}",
        bytes.fromhex(
            "0087980F49FF0719BF2230495963ADCA7FE34E035C4E4950479A3761E7E2C62E"
            "755AED043D024B7832FF583B7CE90094B44A595BFDC929DF3596989E4F30328D"
        ),
    ),
    "nxp-91": Mfrc522Profile(0x91, "version 1.0, by NXP", DATA_SHEET, SELF_TEST_RESULTS[0x91]),
    "nxp-92": Mfrc522Profile(0x92, "version 2.0, by NXP", DATA_SHEET, SELF_TEST_RESULTS[0x92]),
    "fm17522": Mfrc522Profile(
        0x88,
        "FM17522, by Fudan",
        "https://github.com/miguelbalboa/rfid/pull/106",
        bytes.fromhex(
            "00D6788CE2AA0C182AB87A7FD36ACF0BB137634B69AE91C7C397AE77F437D79B"
            "7CF53C118F15C3D7C15B002AD075DE9E5164AB3EE915B5AB569A988226EA2A62"
        ),
    ),
    "fm17522e": Mfrc522Profile(
        0x89,
        "FM17522E, by Fudan",
        f"{ARDUINO_V2}; seen in {ISSUES}/616",
        bytes.fromhex(
            "0000000000000000000000000000000000000000000000000000800004CCC800"
            "100400C000900020000023003806013398F38006C0F98008270423822112F9C7"
        ),
    ),
    "copy-b2": Mfrc522Profile(
        0xB2,
        "a copy without a maker's name, sold as FM17522",
        f"{ARDUINO_V2}; seen in https://github.com/OSSLibraries/Arduino_MFRC522v2/issues/14",
        bytes.fromhex(
            "00EB4485FA9A780174E51C7A0AA071E1F3FA966D28A134463A1C3296B9E64487"
            "0A4598A93660890F069B7B17B30C1A6C1AAE2CAC0E6F2E022BCB8AB245DD7E3C"
        ),
    ),
    "copy-12": Mfrc522Profile(
        0x12,
        "a copy that works with some libraries but not with others, for an unknown reason",
        f"{ISSUES}/482",
    ),
    "faulty-82": Mfrc522Profile(
        0x82,
        "a chip, or its wires, whose VersionReg reads 82h in place of 92h, and whose gain stays at "
        "33 dB when more is written; the reports do not say which of the two is at fault",
        f"{ISSUES}/536 and {ISSUES}/191",
        SELF_TEST_RESULTS[0x92],
        has_fixed_gain=True,
    ),
}
