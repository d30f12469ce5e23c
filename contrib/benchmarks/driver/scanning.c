// What the daemon costs while its adapter hears beacons, and how long a position takes.
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char health[8192];

static void heard(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    (void)context;
    size_t length = (size_t)message->payloadlen < sizeof health ? (size_t)message->payloadlen : sizeof health - 1;
    memcpy(health, message->payload, length);
    health[length] = 0;
}

// The number behind a key that stands after another one.
static double number(const char *section, const char *key) {
    const char *at = strstr(health, section);
    at = at ? strstr(at, key) : NULL;
    return at ? atof(at + strlen(key)) : -1;
}

int scanning(int port, const char *root, int pid, int seconds) {
    char topic[300];
    snprintf(topic, sizeof topic, "%s/health", root);
    struct mosquitto *client = dial(port, heard);
    subscribe(client, topic, 0);
    drive_until(client, now_us() + 12e6, NULL);
    double packets = number("\"counters\"", "\"adverts_heard\":");
    double share = processor_share(client, pid, seconds);
    double rate = (number("\"counters\"", "\"adverts_heard\":") - packets) / seconds;
    if (rate < 900) fail("only %.0f packets a second were heard: %s", rate, health);
    row_below("the daemon hearing 1,000 reports a second: processor", "%.2f %% of a core", share, "< 2 %", 2);
    row_below("packet heard → position told: median", "%.2f ms", number("\"position_ms\"", "\"median\":"), "< 2 ms", 2);
    row_below("packet heard → position told: 99 %", "%.2f ms", number("\"position_ms\"", "\"p99\":"), "< 10 ms", 10);
    return 0;
}
