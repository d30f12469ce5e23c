// Home Assistant is born: from the first device that is announced until every state was told again, with commands
// all the while that want their answers.
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lamps[160], answers[160];
static int wanted, announced, told;
// What was heard of each lamp since the birth: its device, then its state.
static unsigned char *seen;
static volatile int is_whole, is_answered;
static double first_at, last_at, answered_at;
static size_t bytes;

static int lamp(const char *text) {
    int number = atoi(text);
    return number >= 1 && number <= wanted ? number : 0;
}

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (message->retain) return;
    if (!strcmp(message->topic, answers)) {
        answered_at = now_us();
        is_answered = 1;
        return;
    }
    const char *device = strstr(message->topic, "/device/trilateral_");
    if (device) {
        if (first_at == 0) first_at = now_us();
        bytes += (size_t)message->payloadlen;
        const char *name = strstr(device, "_lamp-");
        int number = name ? lamp(name + 6) : 0;
        if (number && !(seen[number] & 1)) announced++, seen[number] |= 1;
        return;
    }
    if (first_at == 0 || strncmp(message->topic, lamps, strlen(lamps))) return;
    int number = lamp(message->topic + strlen(lamps));
    // A command may have told its lamp's state before.
    if (!number || !(seen[number] & 1) || announced < wanted || seen[number] & 2) return;
    seen[number] |= 2;
    if (++told < wanted) return;
    last_at = now_us();
    is_whole = 1;
}

int discovery(int port, const char *root, int things, int runs) {
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    wanted = things;
    snprintf(lamps, sizeof lamps, "%s/things/lamp-", root);
    snprintf(answers, sizeof answers, "%s/response/set", root);
    char filter[200];
    snprintf(filter, sizeof filter, "%s/things/+", root);
    subscribe(client, filter, 0);
    subscribe(client, answers, 0);
    subscribe(client, "homeassistant/device/+/config", 0);
    seen = calloc((size_t)things + 1, 1);
    if (!seen) fail("no memory for %d things", things);
    struct sample spans = {0}, delays = {0};
    // The first run warms up and is not counted.
    for (int run = -1; run < runs; run++) {
        drive_until(client, now_us() + 2e6, NULL);
        memset(seen, 0, (size_t)things + 1);
        announced = told = is_whole = 0;
        first_at = bytes = 0;
        double begun = now_us();
        publish(client, "homeassistant/status", "online", 0);
        for (int number = 0; !is_whole; number++) {
            if (now_us() > begun + 60e6) fail("%d of %d announced, %d told again after 60 s", announced, things, told);
            if (first_at == 0) {
                drive_until(client, now_us() + 1e3, &is_whole);
                continue;
            }
            char topic[200], text[48];
            snprintf(topic, sizeof topic, "%s%d/set", lamps, 1 + rand() % things);
            snprintf(text, sizeof text, "{\"brightness\":%d}", 1 + (number + run * 50 + 100) % 254);
            is_answered = 0;
            double sent = now_us();
            publish(client, topic, text, 0);
            drive_until(client, sent + 5e6, &is_answered);
            if (!is_answered) fail("a command was not answered within 5 s");
            if (run >= 0) add(&delays, (answered_at - sent) / 1000);
            drive_until(client, now_us() + 5e3, &is_whole);
        }
        if (run >= 0) add(&spans, (last_at - first_at) / 1000);
    }
    char what[160];
    snprintf(what, sizeof what,
             "Home Assistant's birth, %d things, %.1f MB: from the first announcement to the last state", things,
             (double)bytes / 1e6);
    row_below(what, "%.0f ms", share(&spans, 0.5), "–", 0);
    row_below("the same: answer to a command in the middle, median", "%.1f ms", share(&delays, 0.5), "–", 0);
    row_below("the same: slowest answer", "%.1f ms", share(&delays, 1), "< 50 ms", 50);
    return 0;
}
