/* Prints the UID of the tag on the RC522 at /dev/spidev0.0. */
#include <fcntl.h>
#include <linux/spi/spidev.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "rc522.h"

static int device;

void transfer(uint8_t *data, unsigned n) {
    struct spi_ioc_transfer one = {
        .tx_buf = (uintptr_t)data, .rx_buf = (uintptr_t)data, .len = n, .speed_hz = 1000000};
    if (ioctl(device, SPI_IOC_MESSAGE(1), &one) < 0) {
        perror("SPI_IOC_MESSAGE");
        exit(1);
    }
}

void wait_ms(unsigned ms) { usleep(ms * 1000); }

int main(int count, char **arguments) {
    const char *path = count > 1 ? arguments[1] : "/dev/spidev0.0";
    device = open(path, O_RDWR);
    if (device < 0) {
        perror(path);
        return 1;
    }
    start_rc522();
    printf("RC522 version %02X\n", get(VERSION));
    uint8_t uid[10];
    unsigned length = read_uid(uid);
    if (!length) puts("no tag");
    for (unsigned at = 0; at < length; at++) printf("%02X%c", uid[at], at + 1 < length ? ':' : '\n');
    return 0;
}
