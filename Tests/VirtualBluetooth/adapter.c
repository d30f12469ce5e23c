/* Somebody else who has to do with an adapter.
 *
 *     adapter N up|down|reset         switches it on, off, or resets it
 *     adapter N state                 prints UP or DOWN
 *     adapter N command OPCODE BYTE…  gives its controller a command
 */
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(const char *what) {
    fprintf(stderr, "adapter: %s: %s\n", what, strerror(errno));
    return 1;
}

int main(int count, char **words) {
    if (count < 3) return 64;
    int index = atoi(words[1]);
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (descriptor < 0) return fail("socket");
    if (!strcmp(words[2], "up")) return ioctl(descriptor, HCIDEVUP, index) < 0 && errno != EALREADY ? fail("up") : 0;
    if (!strcmp(words[2], "down")) return ioctl(descriptor, HCIDEVDOWN, index) < 0 ? fail("down") : 0;
    if (!strcmp(words[2], "reset")) return ioctl(descriptor, HCIDEVRESET, index) < 0 ? fail("reset") : 0;
    if (!strcmp(words[2], "state")) {
        struct hci_dev_info info = {.dev_id = index};
        if (ioctl(descriptor, HCIGETDEVINFO, &info) < 0) return fail("state");
        puts(info.flags & 1u << HCI_UP ? "UP" : "DOWN");
        return 0;
    }
    if (strcmp(words[2], "command") || count < 4) return 64;
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = index, .hci_channel = HCI_CHANNEL_RAW};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return fail("bind");
    unsigned opcode = strtoul(words[3], NULL, 16);
    unsigned char packet[260] = {HCI_COMMAND_PKT, opcode, opcode >> 8, count - 4};
    for (int word = 4; word < count; word++) packet[word] = strtoul(words[word], NULL, 16);
    return write(descriptor, packet, count) < 0 ? fail("write") : 0;
}
