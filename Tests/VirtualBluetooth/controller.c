/* A Bluetooth controller that exists in software only, behind the kernel's virtual HCI driver.
 *
 *     controller < orders > log
 *
 * It is plugged in, switched on and told to scan like any other, and hears the beacons that it is ordered to hear.
 * Orders are lines:
 *
 *     plug legacy|extended                 appear as a controller of this kind
 *     pull                                 vanish
 *     hear COUNT RATE FORM MINOR STEP RSSI SPAN
 *                                          COUNT iBeacons at RATE a second; minor and strength of the n-th are
 *                                          MINOR + n STEP and RSSI - n mod SPAN. FORM is legacy, extended, pair (two
 *                                          reports an event), fragments (of extended reports), or broken
 *     refuse OPCODE STATUS COUNT           answer a command with an error, so many times
 *
 * The log tells "plugged hciN", "scan on", "scan off", "heard COUNT", and each command as "command OPCODE". What is to
 * be heard while nobody scans is lost, as it would be; "heard" tells what was not.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND = 1, EVENT = 4, VENDOR = 0xFF };

static int device = -1;
static int is_extended, is_scanning;

static struct {
    unsigned opcode, status, left;
} refusal;

static struct {
    int total, done, heard, minor, step, rssi, span;
    double rate, start;
    char form[16];
} task;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void say(const char *what) {
    puts(what);
    fflush(stdout);
}

static void die(const char *what) {
    fprintf(stderr, "controller: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void send_packet(const uint8_t *packet, size_t length) {
    if (device >= 0 && write(device, packet, length) < 0) die("write");
}

static void plug(int extended) {
    is_extended = extended;
    is_scanning = 0;
    device = open("/dev/vhci", O_RDWR | O_CLOEXEC);
    if (device < 0) die("/dev/vhci");
    const uint8_t request[] = {VENDOR, 0};
    uint8_t answer[4] = {0};
    if (write(device, request, sizeof request) < 0) die("create");
    if (read(device, answer, sizeof answer) != sizeof answer || answer[0] != VENDOR) die("created");
    printf("plugged hci%d\n", answer[2] | answer[3] << 8);
    fflush(stdout);
}

static void pull(void) {
    close(device);
    device = -1;
    is_scanning = 0;
    say("pulled");
}

/* What follows the status in the answers that the kernel needs to switch a controller on. */
static size_t results(unsigned opcode, uint8_t *out) {
    memset(out, 0, 64);
    switch (opcode) {
    case 0x1001: /* version: 5.1 */
        memcpy(out, (uint8_t[]){10, 0, 0, 10, 0xFF, 0xFF, 0, 0}, 8);
        return 8;
    case 0x1002: /* commands */
        if (is_extended) out[37] = 0x60;
        return 64;
    case 0x1003: /* features: Low Energy, nothing of the old kind */
        out[4] = 0x60;
        return 8;
    case 0x1009: /* address */
        memcpy(out, (uint8_t[]){0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0}, 6);
        return 6;
    case 0x2002: /* buffers */
        memcpy(out, (uint8_t[]){27, 0, 4}, 3);
        return 3;
    case 0x2003: /* features of Low Energy */
    case 0x201C: /* states */
    case 0x202F: /* longest packets */
        return 8;
    case 0x2023: return 4;
    case 0x203A: return 2;
    case 0x2007:
    case 0x200F:
    case 0x202A:
    case 0x203B: return 1;
    default: return 0;
    }
}

static void answer(const uint8_t *packet, size_t length) {
    if (length < 4 || packet[0] != COMMAND) return;
    unsigned opcode = packet[1] | packet[2] << 8;
    printf("command %04x\n", opcode);
    uint8_t event[80] = {EVENT, 0x0E, 4, 1, packet[1], packet[2], 0};
    size_t more = 0;
    if (refusal.left > 0 && refusal.opcode == opcode) {
        refusal.left--;
        event[6] = refusal.status;
    } else if (!is_extended && (opcode == 0x2041 || opcode == 0x2042)) {
        event[6] = 0x01;
    } else if ((opcode == 0x200B || opcode == 0x2041) && is_scanning) {
        event[6] = 0x0C;
    } else if (opcode == 0x200C || opcode == 0x2042) {
        int on = length > 4 && packet[4];
        if (on != is_scanning) say(on ? "scan on" : "scan off");
        is_scanning = on;
    } else if (opcode == 0x0C03) {
        if (is_scanning) say("scan off");
        is_scanning = 0;
    } else {
        more = results(opcode, event + 7);
    }
    fflush(stdout);
    event[2] += more;
    send_packet(event, 7 + more);
}

/* The payload of an iBeacon with the UUID of place.json; 30 bytes. */
static size_t ibeacon(uint8_t *out, int minor) {
    static const uint8_t start[] = {
        2,    1,    6,    0x1A, 0xFF, 0x4C, 0x00, 2,    0x15, 0x2F, 0x23, 0x44, 0x54,
        0xCF, 0x6D, 0x4A, 0x0F, 0xAD, 0xF2, 0xF4, 0x91, 0x1B, 0xA9, 0xFF, 0xA6, 0,    1,
    };
    memcpy(out, start, sizeof start);
    out[27] = minor >> 8;
    out[28] = minor;
    out[29] = (uint8_t)-59;
    return 30;
}

static uint8_t *sender(uint8_t *at, int minor) {
    *at++ = 1;
    memcpy(at, (uint8_t[]){minor, minor >> 8, 3, 4, 5, 0xC6}, 6);
    return at + 6;
}

static uint8_t *legacy(uint8_t *at, int minor, int rssi) {
    *at++ = 3;
    at = sender(at, minor);
    uint8_t *length = at++;
    *length = ibeacon(at, minor);
    at += *length;
    *at++ = (uint8_t)rssi;
    return at;
}

/* From `from` up to `to` of the payload; more is to come unless that is its end. */
static uint8_t *extended(uint8_t *at, int minor, int rssi, size_t from, size_t to) {
    uint8_t payload[64];
    size_t whole = ibeacon(payload, minor);
    if (to > whole) to = whole;
    *at++ = to < whole ? 0x20 : 0x00;
    *at++ = 0;
    at = sender(at, minor);
    /* Channels, set, transmitting power, strength, then period, and address it is sent to. */
    memcpy(at, (uint8_t[]){1, 1, 0, 127, rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 14);
    at += 14;
    *at++ = to - from;
    memcpy(at, payload + from, to - from);
    return at + (to - from);
}

static void finish(uint8_t *event, const uint8_t *end) {
    event[2] = end - event - 3;
    send_packet(event, end - event);
}

/* Each is wrong in a way of its own; none may count as a beacon. */
static void hear_broken(int number) {
    uint8_t event[260] = {EVENT, 0x3E, 0, 0x02, 1};
    uint8_t *end = legacy(event + 5, number, -60);
    switch (number % 8) {
    case 0: event[5 + 8] = 200; break;                                /* a payload past the end */
    case 1: event[5 + 9 + 3] = 60; break;                             /* a structure past the end */
    case 2: end -= 12; break;                                         /* cut */
    case 3: event[4] = 0; break;                                      /* no reports */
    case 4: event[4] = 40; event[5 + 8] = 2; break;                   /* many reports, of which none is whole */
    case 5: end[-1] = 127; break;                                     /* of unknown strength */
    case 6: end[-1] = 20; break;                                      /* stronger than can be */
    case 7:                                                           /* a fragment without an end */
        event[3] = 0x0D;
        end = extended(event + 5, number, -60, 0, 9);
        break;
    }
    finish(event, end);
}

static void hear(int number) {
    int minor = task.minor + number * task.step, rssi = task.rssi - number % task.span;
    uint8_t event[260] = {EVENT, 0x3E, 0, 0x02, 1};
    if (!strcmp(task.form, "broken")) {
        hear_broken(number);
    } else if (!strcmp(task.form, "legacy")) {
        finish(event, legacy(event + 5, minor, rssi));
    } else if (!strcmp(task.form, "pair")) {
        event[4] = 2;
        finish(event, legacy(legacy(event + 5, minor, rssi), minor, rssi));
    } else if (!strcmp(task.form, "extended")) {
        event[3] = 0x0D;
        finish(event, extended(event + 5, minor, rssi, 0, 64));
    } else {
        event[3] = 0x0D;
        finish(event, extended(event + 5, minor, rssi, 0, 13));
        finish(event, extended(event + 5, minor, rssi, 13, 64));
    }
}

/* Hears what is due; the milliseconds until more is, or -1. */
static int go_on(void) {
    if (task.done == task.total) return -1;
    int due = (now() - task.start) * task.rate + 1;
    for (; task.done < due && task.done < task.total; task.done++) {
        if (!is_scanning) continue;
        hear(task.done);
        task.heard++;
    }
    if (task.done < task.total) return 1;
    printf("heard %d\n", task.heard);
    fflush(stdout);
    return -1;
}

static void obey(char *line) {
    char word[16] = "";
    if (sscanf(line, "plug %15s", word) == 1) return plug(!strcmp(word, "extended"));
    if (!strncmp(line, "pull", 4)) return pull();
    if (sscanf(line, "refuse %x %x %u", &refusal.opcode, &refusal.status, &refusal.left) == 3) return;
    memset(&task, 0, sizeof task);
    if (sscanf(line, "hear %d %lf %15s %d %d %d %d", &task.total, &task.rate, task.form, &task.minor, &task.step,
               &task.rssi, &task.span) != 7 ||
        task.span < 1) {
        fprintf(stderr, "controller: no order: %s\n", line);
        exit(64);
    }
    task.start = now();
}

int main(void) {
    char orders[1024];
    size_t have = 0;
    for (;;) {
        struct pollfd waited[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = device, .events = POLLIN}};
        if (poll(waited, 2, go_on()) < 0 && errno != EINTR) die("poll");
        if (waited[1].revents & POLLIN) {
            uint8_t packet[300];
            ssize_t count = read(device, packet, sizeof packet);
            if (count > 0) answer(packet, count);
        }
        if (waited[0].revents) {
            ssize_t count = read(STDIN_FILENO, orders + have, sizeof orders - 1 - have);
            if (count <= 0) return 0;
            have += count;
            orders[have] = 0;
            for (char *end; (end = strchr(orders, '\n'));) {
                *end = 0;
                obey(orders);
                have -= end + 1 - orders;
                memmove(orders, end + 1, have + 1);
            }
        }
    }
}
