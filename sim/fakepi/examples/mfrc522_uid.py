"""Print the UID of the tag on an RC522, with the library mfrc522."""

from mfrc522 import MFRC522

reader = MFRC522()
for _ in range(10):  # a tag needs a moment to wake up
    reader.MFRC522_Request(reader.PICC_REQIDL)
    status, uid = reader.MFRC522_Anticoll()
    if status == reader.MI_OK:
        print(bytes(uid[:4]).hex(":").upper())
        break
else:
    print("no tag")
