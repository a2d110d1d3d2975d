/* Reads the UID of a tag with an RC522. The program that includes this defines transfer() and wait_ms().
   Sources: MFRC522 data sheet, chapter 9 (registers); ISO/IEC 14443-3, 6.5 (anticollision). */
#include <stdint.h>
#include <string.h>

void transfer(uint8_t *data, unsigned n); /* sends data, and replaces it by what was received */
void wait_ms(unsigned ms);

enum { COMMAND = 0x01, COM_IRQ = 0x04, FIFO_DATA = 0x09, FIFO_LEVEL = 0x0A, BIT_FRAMING = 0x0D,
       MODE = 0x11, TX_MODE = 0x12, RX_MODE = 0x13, TX_CONTROL = 0x14, TX_ASK = 0x15, T_MODE = 0x2A,
       T_PRESCALER = 0x2B, T_RELOAD_H = 0x2C, T_RELOAD_L = 0x2D, VERSION = 0x37 };
enum { TRANSCEIVE = 0x0C, SOFT_RESET = 0x0F, RECEIVED = 0x20, TIMED_OUT = 0x01, CRC_ON = 0x80 };

static void set(uint8_t reg, uint8_t value) {
    uint8_t data[2] = {(uint8_t)(reg << 1), value};
    transfer(data, 2);
}

static uint8_t get(uint8_t reg) {
    uint8_t data[2] = {(uint8_t)(0x80 | reg << 1), 0};
    transfer(data, 2);
    return data[1];
}

static void start_rc522(void) {
    set(COMMAND, SOFT_RESET);
    wait_ms(50);
    set(T_MODE, 0x80); /* the timer starts with each frame and ends after 1,000 ticks of 25 us */
    set(T_PRESCALER, 0xA9);
    set(T_RELOAD_H, 0x03);
    set(T_RELOAD_L, 0xE8);
    set(TX_ASK, 0x40);
    set(MODE, 0x3D);
    set(TX_CONTROL, get(TX_CONTROL) | 0x03); /* antenna on */
    wait_ms(6);
}

/* Send a frame whose last byte has `bits` bits (0: eight); return the number of bytes received. */
static unsigned exchange(const uint8_t *out, unsigned n, uint8_t bits, uint8_t crc, uint8_t *in) {
    uint8_t irq;
    set(TX_MODE, crc);
    set(RX_MODE, crc);
    set(COMMAND, 0);
    set(COM_IRQ, 0x7F);
    set(FIFO_LEVEL, 0x80);
    for (unsigned at = 0; at < n; at++) set(FIFO_DATA, out[at]);
    set(COMMAND, TRANSCEIVE);
    set(BIT_FRAMING, 0x80 | bits);
    do irq = get(COM_IRQ); while (!(irq & (RECEIVED | TIMED_OUT)));
    set(BIT_FRAMING, 0);
    if (!(irq & RECEIVED)) return 0;
    n = get(FIFO_LEVEL);
    for (unsigned at = 0; at < n; at++) in[at] = get(FIFO_DATA);
    return n;
}

/* Write the UID of a tag into `uid`; return its length, or 0 if there is no tag. */
static unsigned read_uid(uint8_t *uid) {
    uint8_t answer[64], frame[7];
    unsigned length = 0;
    frame[0] = 0x26; /* REQA */
    if (exchange(frame, 1, 7, 0, answer) != 2) return 0;
    for (uint8_t level = 0x93; level <= 0x97; level += 2) {
        frame[0] = level;
        frame[1] = 0x20;
        if (exchange(frame, 2, 0, 0, answer) != 5) return 0;
        memcpy(frame + 2, answer, 5);
        int more = answer[0] == 0x88;
        memcpy(uid + length, answer + more, 4 - more);
        length += 4 - more;
        frame[1] = 0x70;
        if (exchange(frame, 7, 0, CRC_ON, answer) != 1) return 0;
        if (!(answer[0] & 0x04)) return length;
    }
    return 0;
}
