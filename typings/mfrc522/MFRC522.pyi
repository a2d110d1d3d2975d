import logging
from collections.abc import Sequence
from typing import Any

class MFRC522:
    MAX_LEN: int
    PCD_IDLE: int
    PCD_AUTHENT: int
    PCD_RECEIVE: int
    PCD_TRANSMIT: int
    PCD_TRANSCEIVE: int
    PCD_RESETPHASE: int
    PCD_CALCCRC: int
    PICC_REQIDL: int
    PICC_REQALL: int
    PICC_ANTICOLL: int
    PICC_SElECTTAG: int
    PICC_AUTHENT1A: int
    PICC_AUTHENT1B: int
    PICC_READ: int
    PICC_WRITE: int
    PICC_DECREMENT: int
    PICC_INCREMENT: int
    PICC_RESTORE: int
    PICC_TRANSFER: int
    PICC_HALT: int
    MI_OK: int
    MI_NOTAGERR: int
    MI_ERR: int
    Reserved00: int
    CommandReg: int
    CommIEnReg: int
    DivlEnReg: int
    CommIrqReg: int
    DivIrqReg: int
    ErrorReg: int
    Status1Reg: int
    Status2Reg: int
    FIFODataReg: int
    FIFOLevelReg: int
    WaterLevelReg: int
    ControlReg: int
    BitFramingReg: int
    CollReg: int
    Reserved01: int
    Reserved10: int
    ModeReg: int
    TxModeReg: int
    RxModeReg: int
    TxControlReg: int
    TxAutoReg: int
    TxSelReg: int
    RxSelReg: int
    RxThresholdReg: int
    DemodReg: int
    Reserved11: int
    Reserved12: int
    MifareReg: int
    Reserved13: int
    Reserved14: int
    SerialSpeedReg: int
    Reserved20: int
    CRCResultRegM: int
    CRCResultRegL: int
    Reserved21: int
    ModWidthReg: int
    Reserved22: int
    RFCfgReg: int
    GsNReg: int
    CWGsPReg: int
    ModGsPReg: int
    TModeReg: int
    TPrescalerReg: int
    TReloadRegH: int
    TReloadRegL: int
    TCounterValueRegH: int
    TCounterValueRegL: int
    Reserved30: int
    TestSel1Reg: int
    TestSel2Reg: int
    TestPinEnReg: int
    TestPinValueReg: int
    TestBusReg: int
    AutoTestReg: int
    VersionReg: int
    AnalogTestReg: int
    TestDAC1Reg: int
    TestDAC2Reg: int
    TestADCReg: int
    Reserved31: int
    Reserved32: int
    Reserved33: int
    Reserved34: int
    serNum: list[int]  # noqa: N815 - the library's name
    spi: Any  # a spidev.SpiDev, or what a subclass puts there
    logger: logging.Logger
    def __init__(
        self,
        bus: int = 0,
        device: int = 0,
        spd: int = 1000000,
        pin_mode: int = 10,
        pin_rst: int = -1,
        debugLevel: str = "WARNING",
    ) -> None: ...
    def MFRC522_Reset(self) -> None: ...
    def Write_MFRC522(self, addr: int, val: int) -> None: ...
    def Read_MFRC522(self, addr: int) -> int: ...
    def Close_MFRC522(self) -> None: ...
    def SetBitMask(self, reg: int, mask: int) -> None: ...
    def ClearBitMask(self, reg: int, mask: int) -> None: ...
    def AntennaOn(self) -> None: ...
    def AntennaOff(self) -> None: ...
    def MFRC522_ToCard(
        self, command: int, sendData: Sequence[int]
    ) -> tuple[int, list[int], int]: ...
    def MFRC522_Request(self, reqMode: int) -> tuple[int, int]: ...
    def MFRC522_Anticoll(self) -> tuple[int, list[int]]: ...
    def CalulateCRC(self, pIndata: Sequence[int]) -> list[int]: ...
    def MFRC522_SelectTag(self, serNum: Sequence[int]) -> int: ...
    def MFRC522_Auth(
        self, authMode: int, BlockAddr: int, Sectorkey: Sequence[int], serNum: Sequence[int]
    ) -> int: ...
    def MFRC522_StopCrypto1(self) -> None: ...
    def MFRC522_Read(self, blockAddr: int) -> list[int] | None: ...
    def MFRC522_Write(self, blockAddr: int, writeData: Sequence[int]) -> None: ...
    def MFRC522_DumpClassic1K(self, key: Sequence[int], uid: Sequence[int]) -> None: ...
    def MFRC522_Init(self) -> None: ...
