// A Bluetooth adapter that plays a capture: one packet after the other, so many a second, again and again.
//
//     adapter SOCKET CAPTURE PER_SECOND

#include "measure.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { file_header = 16, record_header = 24, longest = 260 };

static unsigned big_endian(const unsigned char *at) {
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

// Answers every command with success.
static void answer(int link) {
    unsigned char command[longest];
    while (recv(link, command, sizeof command, MSG_DONTWAIT) > 2) {
        unsigned char done[] = {4, 0x0E, 4, 1, command[1], command[2], 0};
        if (send(link, done, sizeof done, MSG_NOSIGNAL) < 0) return;
    }
}

int main(int count, char **words) {
    if (count != 4) fail("usage: adapter SOCKET CAPTURE PER_SECOND");
    FILE *file = fopen(words[2], "rb");
    if (!file) fail("%s: %s", words[2], strerror(errno));
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != size || size <= file_header + record_header) fail("no capture");
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    strncpy(place.sun_path, words[1], sizeof place.sun_path - 1);
    int door = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (bind(door, (struct sockaddr *)&place, sizeof place) || listen(door, 4)) fail("%s: %s", words[1], strerror(errno));
    int link = accept(door, NULL, NULL);
    double begun = now_us(), step = 1e6 / atof(words[3]);
    size_t at = file_header;
    for (unsigned long sent = 0;; sent++) {
        if (at + record_header > size) at = file_header;
        unsigned length = big_endian(bytes + at + 4);
        unsigned char packet[longest] = {4};
        if (length >= longest || at + record_header + length > size) fail("a damaged capture");
        memcpy(packet + 1, bytes + at + record_header, length);
        at += record_header + length;
        answer(link);
        if (send(link, packet, length + 1, MSG_NOSIGNAL) < 0) return errno == EPIPE ? 0 : 1;
        double rest = begun + step * (double)(sent + 1) - now_us();
        if (rest > 0) usleep((unsigned)rest);
    }
}
