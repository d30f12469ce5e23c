// From what a real lamp says on its own topic until the state of its thing is read from `…/things/<t>`: the daemon, and
// a program that only echoes, by turns on one broker.
#define _GNU_SOURCE
#include "measure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// A lamp that speaks more often than so many times at once is taken for one that flaps, and has to wait.
enum { words = 4 };

static char awaited_topic[128], awaited_text[48];
static volatile int has_come;
static double came_at;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (has_come || strcmp(message->topic, awaited_topic) || !message->payload) return;
    const char *found = memmem(message->payload, (size_t)message->payloadlen, awaited_text, strlen(awaited_text));
    // The library ends every payload with a zero byte.
    if (!found || isdigit((unsigned char)found[strlen(awaited_text)])) return;
    came_at = now_us();
    has_come = 1;
}

static double once(struct mosquitto *client, const char *from, const char *to, int value) {
    char text[64];
    snprintf(awaited_topic, sizeof awaited_topic, "%s", to);
    snprintf(awaited_text, sizeof awaited_text, "\"brightness\":%d", value);
    snprintf(text, sizeof text, "{\"state\":\"ON\",\"brightness\":%d}", value);
    has_come = 0;
    double begun = now_us();
    publish(client, from, text, 1);
    drive_until(client, begun + 5e6, &has_come);
    if (!has_come) fail("%s does not follow %s within 5 s", to, from);
    return came_at - begun;
}

int link_lamps(int port, const char *root, int lamps) {
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    char from[128], to[128];
    snprintf(to, sizeof to, "%s/things/+", root);
    subscribe(client, to, 1);
    subscribe(client, "floor/things/+", 1);
    drive_until(client, now_us() + 1e6, NULL);
    struct sample samples[2] = {{0}, {0}};
    for (int word = 0; word < words; word++) {
        for (int lamp = 1; lamp <= lamps; lamp++) {
            int value = 40 + 50 * word + lamp % 30;
            snprintf(from, sizeof from, "floor/things/lamp-%d/set", lamp);
            snprintf(to, sizeof to, "floor/things/lamp-%d", lamp);
            double floor = once(client, from, to, value);
            snprintf(from, sizeof from, "lamps/%d", lamp);
            snprintf(to, sizeof to, "%s/things/lamp-%d", root, lamp);
            double ours = once(client, from, to, value);
            // The first word of all warms up.
            if (word > 0) add(&samples[0], floor), add(&samples[1], ours);
            drive_until(client, now_us() + 2e3, NULL);
        }
    }
    row_ratio("a lamp's word to its thing's state, median", "µs", share(&samples[0], 0.5), share(&samples[1], 0.5), 1.5);
    row_ratio("a lamp's word to its thing's state, 99 %", "µs", share(&samples[0], 0.99), share(&samples[1], 0.99), 2);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return 0;
}
