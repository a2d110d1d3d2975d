/* fakepi.h: the chips of `fakepi bridge`, for C and C++ programs. See docs/bridge.md.
   All functions but the last two return -1 and set errno if the bridge refuses or is gone. */
#ifndef FAKEPI_H
#define FAKEPI_H
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FAKEPI_LONGEST 4096
static int fakepi_socket = -1;

/* Connect to the bridge at `path`; NULL means $FAKEPI_SOCKET. The chips start without power-up delay. */
static inline int fakepi_open(const char *path) {
    struct sockaddr_un at;
    memset(&at, 0, sizeof at);
    at.sun_family = AF_UNIX;
    if (!path) path = getenv("FAKEPI_SOCKET");
    if (!path || strlen(path) >= sizeof at.sun_path) { errno = ENOENT; return -1; }
    strcpy(at.sun_path, path);
    fakepi_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    return fakepi_socket < 0 ? -1 : connect(fakepi_socket, (struct sockaddr *)&at, sizeof at);
}

/* Send one request with `sent` bytes, and receive its result of `wanted` bytes. */
static inline int fakepi_call(char op, int a, int b, uint32_t n, const void *out, size_t sent,
                              void *in, size_t wanted) {
    uint8_t data[8 + FAKEPI_LONGEST] = {(uint8_t)op, (uint8_t)a, (uint8_t)b, 0, (uint8_t)n,
        (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    if (sent > FAKEPI_LONGEST || wanted > FAKEPI_LONGEST) { errno = EMSGSIZE; return -1; }
    if (sent) memcpy(data + 8, out, sent);
    for (size_t done = 0; done < 8 + sent;) {
        ssize_t moved = send(fakepi_socket, data + done, 8 + sent - done, MSG_NOSIGNAL);
        if (moved < 0) return -1;
        done += (size_t)moved;
    }
    for (size_t done = 0; done < 1 + wanted;) {
        ssize_t moved = recv(fakepi_socket, data + done, 1 + wanted - done, 0);
        if (moved <= 0) { if (!moved) errno = EPIPE; return -1; }
        done += (size_t)moved;
        if (data[0]) { errno = data[0]; return -1; }
    }
    if (wanted) memcpy(in, data + 1, wanted);
    return 0;
}

/* Send `n` bytes on SPI with chip select low, and receive as many; `out` and `in` may be the same. */
static inline int fakepi_transfer(int bus, int device, const void *out, void *in, uint32_t n) {
    return fakepi_call('T', bus, device, n, out, n, in, n);
}
static inline int fakepi_spi_rate(int bus, int device, uint32_t hz) {
    return fakepi_call('H', bus, device, hz, 0, 0, 0, 0);
}
static inline int fakepi_i2c_write(int bus, int address, const void *out, uint32_t n) {
    return fakepi_call('W', bus, address, n, out, n, 0, 0);
}
static inline int fakepi_i2c_read(int bus, int address, void *in, uint32_t n) {
    return fakepi_call('I', bus, address, n, 0, 0, in, n);
}
/* 0: input, 1: output, 2: input with pull-up. */
static inline int fakepi_pin_mode(int pin, int mode) {
    return fakepi_call('M', pin, mode, 0, 0, 0, 0, 0);
}
static inline int fakepi_pin_set(int pin, int level) {
    return fakepi_call('S', pin, level != 0, 0, 0, 0, 0, 0);
}
static inline int fakepi_pin_read(int pin) {
    uint8_t level;
    return fakepi_call('R', pin, 0, 0, 0, 0, &level, 1) ? -1 : level;
}
/* Let the chips' time pass; it takes no real time. */
static inline int fakepi_delay_us(uint32_t us) {
    return fakepi_call('D', 0, 0, us, 0, 0, 0, 0);
}
/* The chips' time since fakepi_open(). */
static inline uint64_t fakepi_micros(void) {
    uint8_t d[8] = {0};
    uint64_t us = 0;
    fakepi_call('U', 0, 0, 0, 0, 0, d, 8);
    for (int at = 7; at >= 0; at--) us = us << 8 | d[at];
    return us;
}
static inline uint32_t fakepi_millis(void) {
    return (uint32_t)(fakepi_micros() / 1000);
}
#endif
