// From a command on `…/things/<t>/set` until the new state is read from `…/things/<t>`: the daemon, and a program
// that only echoes, by turns on one broker.
#define _GNU_SOURCE
#include "measure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { run_length = 100 };

static char awaited_topic[128], awaited_text[48];
static volatile int has_come;
static double came_at;

// The brightness of the daemon's things as last heard.
static int *current, count;
static char lamps[160];

static void remember(const struct mosquitto_message *message) {
    if (strncmp(message->topic, lamps, strlen(lamps))) return;
    int thing = atoi(message->topic + strlen(lamps));
    const char *value = message->payload ? strstr(message->payload, "\"brightness\":") : NULL;
    if (thing >= 1 && thing <= count && value) current[thing] = atoi(value + strlen("\"brightness\":"));
}

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    remember(message);
    if (has_come || strcmp(message->topic, awaited_topic)) return;
    const char *found =
        memmem(message->payload, (size_t)message->payloadlen, awaited_text, strlen(awaited_text));
    // The library ends every payload with a zero byte.
    if (!found || isdigit((unsigned char)found[strlen(awaited_text)])) return;
    came_at = now_us();
    has_come = 1;
}

static double once(struct mosquitto *client, const char *root, int thing, int value, int qos) {
    char topic[160], text[64];
    snprintf(awaited_topic, sizeof awaited_topic, "%s/things/lamp-%d", root, thing);
    snprintf(awaited_text, sizeof awaited_text, "\"brightness\":%d", value);
    snprintf(topic, sizeof topic, "%s/set", awaited_topic);
    snprintf(text, sizeof text, "{\"brightness\":%d}", value);
    has_come = 0;
    double begun = now_us();
    publish(client, topic, text, qos);
    drive_until(client, begun + 5e6, &has_come);
    if (!has_come) fail("no new state on %s within 5 s", awaited_topic);
    return came_at - begun;
}

static void measure(int port, const char *root, int things, int rounds, int qos) {
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    char filter[160];
    const char *roots[2] = {"floor", root};
    for (int side = 0; side < 2; side++) {
        snprintf(filter, sizeof filter, "%s/things/+", roots[side]);
        subscribe(client, filter, qos);
    }
    // What is retained comes first.
    drive_until(client, now_us() + 1e6, NULL);
    struct sample samples[2] = {{0}, {0}};
    // One command after the other, in runs that alternate; the first of each side warms up.
    for (int run = -1; run < rounds / run_length; run++) {
        for (int turn = 0; turn < 2; turn++) {
            int side = (run & 1) ^ turn;
            for (int round = 0; round < run_length; round++) {
                // Another value each time, for what does not change is not told.
                int thing = 1 + rand() % things, value = 1 + (current[thing] + rand() % 253) % 254;
                double took = once(client, roots[side], thing, value, qos);
                if (run >= 0) add(&samples[side], took);
            }
            drive_until(client, now_us() + 50e3, NULL);
        }
    }
    char what[96];
    snprintf(what, sizeof what, "command to state, QoS %d, median", qos);
    row_ratio(what, "µs", share(&samples[0], 0.5), share(&samples[1], 0.5), 1.3);
    snprintf(what, sizeof what, "command to state, QoS %d, 99 %%", qos);
    row_ratio(what, "µs", share(&samples[0], 0.99), share(&samples[1], 0.99), 2);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
}

int echo(int port, const char *root, int things, int rounds) {
    count = things;
    current = calloc((size_t)things + 1, sizeof *current);
    if (!current) fail("no memory for %d things", things);
    snprintf(lamps, sizeof lamps, "%s/things/lamp-", root);
    for (int qos = 0; qos <= 1; qos++) measure(port, root, things, rounds, qos);
    return 0;
}
