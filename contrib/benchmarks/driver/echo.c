// From a command on `…/things/<t>/set` until the new state is read from `…/things/<t>`, and the processor time that
// it takes: the daemon, a program that only echoes, and one that does the same work, by turns on one broker.
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

// The programs by turns: one that only echoes, one in C that does the same work, and the daemon.
enum { bare_echo, same_work, ours, sides };

struct side {
    const char *root;
    // 0 when its processor time does not count.
    int pid;
};

struct pace {
    int qos, rounds;
    // Between a state and the next command.
    double pause_us;
    const char *name;
};

struct result {
    struct sample delays;
    double processor_ns;
};

// Commands one after the other; the processor time includes what follows the last state.
static void run(struct mosquitto *client, const struct side *side, const struct pace *pace, struct result *result) {
    double before = side->pid ? processor_ns(side->pid) : 0;
    for (int round = 0; round < run_length; round++) {
        // Another value each time, for what does not change is not published.
        int thing = 1 + rand() % count, value = 1 + (current[thing] + rand() % 253) % 254;
        double took = once(client, side->root, thing, value, pace->qos);
        if (result) add(&result->delays, took);
        if (pace->pause_us > 0) drive_until(client, now_us() + pace->pause_us, NULL);
    }
    drive_until(client, now_us() + 50e3, NULL);
    if (result && side->pid) result->processor_ns += processor_ns(side->pid) - before;
}

static void print_rows(const struct pace *pace, struct result *results) {
    static const struct {
        const char *name;
        double part, aim, aim_of_echo;
    } shares[] = {{"median", 0.5, 1.4, 1.3}, {"99 %", 0.99, 2, 2}};
    char what[128];
    double delay[2][sides];
    for (int index = 0; index < 2; index++)
        for (int side = 0; side < sides; side++) delay[index][side] = share(&results[side].delays, shares[index].part);
    for (int index = 0; index < 2; index++) {
        snprintf(what, sizeof what, "command to state, %s, against a bare echo, %s", pace->name, shares[index].name);
        row_ratio(what, "µs", delay[index][bare_echo], delay[index][ours], shares[index].aim_of_echo);
    }
    for (int index = 0; index < 2; index++) {
        snprintf(what, sizeof what, "command to state, %s, against the same work in C, %s", pace->name, shares[index].name);
        row_ratio(what, "µs", delay[index][same_work], delay[index][ours], shares[index].aim);
    }
    double processor[sides];
    for (int side = 0; side < sides; side++) processor[side] = results[side].processor_ns / 1e3 / pace->rounds;
    snprintf(what, sizeof what, "command to state, %s, against the same work in C, processor time", pace->name);
    row_ratio(what, "µs", processor[same_work], processor[ours], 1.6);
}

static void measure(int port, const struct side *programs, const struct pace *pace) {
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    char filter[160];
    for (int side = 0; side < sides; side++) {
        snprintf(filter, sizeof filter, "%s/things/+", programs[side].root);
        subscribe(client, filter, pace->qos);
    }
    // What is retained comes first.
    drive_until(client, now_us() + 1e6, NULL);
    struct result results[sides] = {0};
    // Another program is first each time; the first run of each warms up.
    for (int turn = -sides; turn < pace->rounds / run_length * sides; turn++) {
        int side = (turn + sides + (turn + sides) / sides) % sides;
        run(client, &programs[side], pace, turn < 0 ? NULL : &results[side]);
    }
    print_rows(pace, results);
    for (int side = 0; side < sides; side++) free(results[side].delays.values);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
}

int echo(int port, const char *root, int things, int rounds, int daemon_pid, int same_work_pid) {
    count = things;
    current = calloc((size_t)things + 1, sizeof *current);
    if (!current) fail("no memory for %d things", things);
    snprintf(lamps, sizeof lamps, "%s/things/lamp-", root);
    const struct side programs[sides] = {
        [bare_echo] = {"floor", 0}, [same_work] = {"trilateral/plain", same_work_pid}, [ours] = {root, daemon_pid}
    };
    const struct pace paces[] = {
        {0, rounds, 0, "QoS 0"}, {1, rounds, 0, "QoS 1"}, {1, rounds / 2, 10e3, "QoS 1, 10 ms apart"}
    };
    for (size_t index = 0; index < sizeof paces / sizeof *paces; index++) measure(port, programs, &paces[index]);
    free(current);
    return 0;
}
