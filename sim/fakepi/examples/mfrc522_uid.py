"""Prints the UID of the tag on an RC522, with the library mfrc522."""

from mfrc522 import MFRC522

reader = MFRC522()
reader.MFRC522_Request(reader.PICC_REQIDL)
status, uid = reader.MFRC522_Anticoll()
print(bytes(uid[:4]).hex(":").upper() if status == reader.MI_OK else "no tag")
