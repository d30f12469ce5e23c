// What a receiver takes while its adapter hears a thousand reports a second.
#include "measure.h"

#include <stdio.h>
#include <string.h>

static long reports;

static void heard(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    (void)context;
    if (strstr(message->topic, "/devices/")) reports++;
}

int receiver(int port, const char *root, int pid, int seconds) {
    char topic[300];
    snprintf(topic, sizeof topic, "%s/#", root);
    struct mosquitto *client = dial(port, heard);
    subscribe(client, topic, 0);
    drive_until(client, now_us() + 3e6, NULL);
    reports = 0;
    double share = processor_share(client, pid, seconds);
    if (reports < seconds) fail("a receiver told only %ld times what it heard in %d s", reports, seconds);
    row_below("a receiver hearing 1,000 reports a second: resident memory", "%.1f MB", (double)status_kb(pid, "VmRSS") / 1024,
              "< 20 MB", 20);
    row_below("a receiver: of it anonymous", "%.1f MB", (double)status_kb(pid, "RssAnon") / 1024, "< 8 MB", 8);
    row_below("a receiver: processor", "%.2f %% of a core", share, "< 2 %", 2);
    return 0;
}
