// What a message costs the server's processor, by the number of things in its place.
#include "measure.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { messages = 5000, room = 10 };

static double processor_us(int pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) fail("there is no process %d", pid);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

// Microseconds of processor for one of many messages, each heard by one subscriber; `form` takes a number twice.
static double cost(int port, int pid, const char *subscription, const char *form, const char *sign) {
    struct buffer ears = {0}, mouth = {0}, output = {0};
    char text[200], bytes[240];
    int listener = join(port, &ears), sender = join(port, &mouth);
    say(listener, subscription);
    usleep(300000);
    for (int index = 1; index <= messages; index++) {
        // A walk from lamp to lamp in the first room.
        snprintf(text, sizeof text, form, index % 5 * 2 + 1, index);
        append(&output, bytes, frame(bytes, text));
    }
    double begun = processor_us(pid);
    send_all(sender, output.bytes, output.end);
    for (int heard = 0; heard < messages;) {
        if (fill(&ears, listener) <= 0) fail("%d messages of %d were heard", heard, messages);
        size_t length;
        for (char *found; (found = next_frame(&ears, &length));)
            heard += length > strlen(sign) && !memcmp(found, sign, strlen(sign));
    }
    double used = processor_us(pid) - begun;
    close(listener), close(sender);
    free(ears.bytes), free(mouth.bytes), free(output.bytes);
    return used / messages;
}

static char hall[25], thing[25], device[25];
static int things;

// Rooms with ten lamps each, so that a larger place has more rooms and not fuller ones.
static void build(int connection, int wanted) {
    char path[160], json[300], zone[25], lamp[25];
    for (; things < wanted; things++) {
        int place = things / room, left = place % 40 * 10, top = place / 40 * 4;
        if (things % room == 0) {
            snprintf(path, sizeof path, "/environments/%s/zones", hall);
            snprintf(json, sizeof json,
                     "{\"name\":\"Room\",\"perimeter\":{\"origin\":{\"x\":%d,\"y\":%d},\"size\":{\"width\":10,\"height\":4}}}",
                     left, top);
            create(connection, path, json, zone);
        }
        snprintf(path, sizeof path, "/environments/%s/zones/%s/things", hall, zone);
        snprintf(json, sizeof json, "{\"name\":\"Lamp\",\"position\":{\"x\":%d,\"y\":%d,\"z\":0},\"data\":{\"v\":0}}",
                 left + things % 5 * 2 + 1, top + things % room / 5 * 2 + 1);
        create(connection, path, json, lamp);
        if (things == 0) memcpy(thing, lamp, sizeof thing);
    }
}

int growth(int port, int pid) {
    static const int counts[] = {10, 1000, 10000};
    double set[3], move[3];
    char path[160], text[160], form[160];
    int connection = connect_to(port);
    create(connection, "/environments", "{\"name\":\"Growing\",\"data\":{\"distance\":1}}", hall);
    snprintf(path, sizeof path, "/environments/%s/devices", hall);
    create(connection, path, "{\"name\":\"Walker\",\"position\":{\"x\":1,\"y\":1,\"z\":0}}", device);
    for (int index = 0; index < 3; index++) {
        build(connection, counts[index]);
        snprintf(text, sizeof text, "42[\"subscribe\",{\"thing\":\"%s\"}]", thing);
        snprintf(form, sizeof form, "42[\"setData\",{\"thing\":\"%s\",\"key\":\"v\",\"value\":%%d.%%04d}]", thing);
        set[index] = cost(port, pid, text, form, "42[\"data\"");
        snprintf(text, sizeof text, "42[\"subscribe\",{\"device\":\"%s\"}]", device);
        snprintf(form, sizeof form,
                 "42[\"setPosition\",{\"device\":\"%s\",\"position\":{\"x\":%%d,\"y\":1.%%04d}}]", device);
        move[index] = cost(port, pid, text, form, "42[\"position\"");
        snprintf(text, sizeof text, "a setData among %d things, processor", counts[index]);
        row(text, "µs", 0, set[index], -1, 0);
        snprintf(text, sizeof text, "a step of a device from thing to thing among %d things, processor", counts[index]);
        row(text, "µs", 0, move[index], -1, 0);
    }
    row("growth of a setData from 10 to 10,000 things", "times", 0, set[2] / set[0], 2, 0);
    row("growth of a step from 10 to 10,000 things", "times", 0, move[2] / move[0], 2, 0);
    return 0;
}
