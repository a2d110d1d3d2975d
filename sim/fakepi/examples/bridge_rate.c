/* Prints how many transfers of two bytes the bridge carries out in a second. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fakepi.h"

int main(int count, char **arguments) {
    long transfers = count > 1 ? atol(arguments[1]) : 100000;
    uint8_t data[2];
    struct timespec from, to;
    if (fakepi_open(NULL)) {
        perror("fakepi_open");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long n = 0; n < transfers; n++) {
        data[0] = 0x80 | 0x37 << 1; /* VersionReg */
        if (fakepi_transfer(0, 0, data, data, 2) || data[1] != 0x92) {
            perror("fakepi_transfer");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    printf("%ld transfers, %.0f in a second\n", transfers, (double)transfers / seconds);
    return 0;
}
