// A thousand commands a second: is each answered once, and does the last one count everywhere?
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rate = 1000 };

static double *sent_at;
static unsigned char *answers;
static int total, answered, twice, refused;
static volatile int is_done;
static struct sample delays;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    const char *text = message->payload;
    const char *found = text ? strstr(text, "\"tx\":") : NULL;
    int number = found ? atoi(found + 5) : -1;
    if (number < 0 || number >= total || sent_at[number] == 0) return;
    if (answers[number]++) {
        twice++;
        return;
    }
    add(&delays, now_us() - sent_at[number]);
    if (!strstr(text, "\"status\":\"ok\"")) {
        if (refused++ == 0) fprintf(stderr, "bench: first refusal: %s\n", text);
    }
    is_done = ++answered == total;
}

static const char *prefix;
static int *last, right, retained;

static void found(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    int thing = strncmp(message->topic, prefix, strlen(prefix)) ? 0 : atoi(message->topic + strlen(prefix));
    const char *value = message->payload ? strstr(message->payload, "\"brightness\":") : NULL;
    if (thing < 1 || !value || !message->retain) return;
    retained++;
    right += atoi(value + 13) == last[thing];
}

int storm(int port, const char *root, int things, int seconds, int pid) {
    char filter[160], lamps[160], topic[160], text[64];
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    snprintf(filter, sizeof filter, "%s/response/set", root);
    snprintf(lamps, sizeof lamps, "%s/things/lamp-", root);
    subscribe(client, filter, 1);
    total = rate * seconds;
    sent_at = calloc((size_t)total, sizeof *sent_at);
    answers = calloc((size_t)total, 1);
    last = calloc((size_t)things + 1, sizeof *last);
    if (!sent_at || !answers || !last) fail("no memory for the storm");
    long memory[3] = {status_kb(pid, "VmRSS"), 0, 0};
    double begun = now_us();
    for (int number = 0; number < total; number++) {
        drive_until(client, begun + number * (1e6 / rate), NULL);
        int thing = 1 + number % things, value = 1 + (number / things * 7 + number) % 255;
        last[thing] = value;
        snprintf(topic, sizeof topic, "%s%d/set", lamps, thing);
        snprintf(text, sizeof text, "{\"brightness\":%d,\"tx\":%d}", value, number);
        sent_at[number] = now_us();
        publish(client, topic, text, 1);
        if (number == total / 2) memory[1] = status_kb(pid, "VmRSS");
    }
    double took = (now_us() - begun) / 1e6;
    drive_until(client, now_us() + 10e6, &is_done);
    memory[2] = status_kb(pid, "VmRSS");
    fprintf(stderr, "bench: storm: %d commands in %.1f s, %d answered, %d refused, %d answered twice\n", total, took,
            answered, refused, twice);

    // What the broker holds in the end.
    prefix = lamps;
    struct mosquitto *reader = dial(port, found);
    snprintf(filter, sizeof filter, "%s/things/+", root);
    subscribe(reader, filter, 1);
    drive_until(reader, now_us() + 2e6, NULL);

    char what[128];
    snprintf(what, sizeof what, "storm, %d commands a second for %d s: not answered", rate, seconds);
    row_below(what, "%.0f", total - answered, "0", 0.5);
    row_below("storm: refused, or answered twice", "%.0f", refused + twice, "0", 0.5);
    row_below("storm: things whose state is not the last command's", "%.0f", things - right, "0", 0.5);
    row_below("storm: answer, median", "%.0f µs", share(&delays, 0.5), "–", 0);
    row_below("storm: answer, 99 %", "%.0f µs", share(&delays, 0.99), "–", 0);
    snprintf(what, sizeof what, "storm: memory at start, middle, end: %.1f, %.1f, %.1f MB; growth of the second half",
             (double)memory[0] / 1024, (double)memory[1] / 1024, (double)memory[2] / 1024);
    row_below(what, "%.1f MB", (double)(memory[2] - memory[1]) / 1024, "< 1 MB", 1);
    return 0;
}
