/* Prints the UID of the tag on an RC522, as an Arduino sketch would: with a chip select of its own
   on pin 10, and one byte at a time. */
#include <stdio.h>
#include <stdlib.h>
#include "fakepi.h"
#include "rc522.h"

#define SELECT 10

void transfer(uint8_t *data, unsigned n) {
    fakepi_pin_set(SELECT, 0);
    for (unsigned at = 0; at < n; at++) {
        if (fakepi_transfer(0, 0, data + at, data + at, 1)) {
            perror("fakepi_transfer");
            exit(1);
        }
    }
    fakepi_pin_set(SELECT, 1);
}

void wait_ms(unsigned ms) { fakepi_delay_us(ms * 1000); }

int main(void) {
    if (fakepi_open(NULL)) {
        perror("fakepi_open");
        return 1;
    }
    fakepi_pin_mode(SELECT, 1);
    fakepi_pin_set(SELECT, 1);
    start_rc522();
    printf("RC522 version %02X\n", get(VERSION));
    uint8_t uid[10];
    unsigned length = read_uid(uid);
    if (!length) puts("no tag");
    for (unsigned at = 0; at < length; at++) printf("%02X%c", uid[at], at + 1 < length ? ':' : '\n');
    printf("%u ms of the chip's time\n", (unsigned)fakepi_millis());
    return 0;
}
