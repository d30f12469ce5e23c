// Places whose daemons take turns at starting, and programs that take turns at commands.
#define _GNU_SOURCE
#include "measure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pid_t launch(const struct place *place, struct mosquitto *client, char *program, double *online, double *whole) {
    char port[16], *command[] = {program, "run", "--state", place->state, NULL};
    snprintf(port, sizeof port, "%d", place->port);
    setenv("TRILATERAL_MQTT_PORT", port, 1);
    return start_once(client, command, online, whole);
}

enum { place_count = 2, memory_runs = 3 };

// MARK: Start

void compare_starts(const struct place *places, struct mosquitto **clients, int runs, char *program, struct starts *starts) {
    // The first start of each warms database and broker.
    for (int run = -1; run < runs; run++) {
        for (int turn = 0; turn < place_count; turn++) {
            // Another place is first each time.
            int index = (turn + run + 1) % place_count;
            double online_ms, whole_ms;
            drive_until(clients[index], now_us() + 5e5, NULL);
            pid_t daemon = launch(&places[index], clients[index], program, &online_ms, &whole_ms);
            drive_until(clients[index], now_us() + 1e6, NULL);
            double processor_ms = processor_ns(daemon) / 1e6;
            stop(daemon);
            if (run < 0) continue;
            add(&starts[index].processor, processor_ms);
            add(&starts[index].online, online_ms);
            add(&starts[index].whole, whole_ms);
        }
    }
}

// MARK: Memory

const double settling_us = 24e6;

void let_read(struct mosquitto **clients, double us) {
    double end = now_us() + us;
    for (int index = 0; now_us() < end; index = (index + 1) % place_count)
        drive_until(clients[index], now_us() + 1e5, NULL);
}

void compare_memory(const struct place *places, struct mosquitto **clients, char *program, double *first, double *second) {
    struct sample memory[place_count] = {0};
    for (int run = 0; run < memory_runs; run++) {
        pid_t daemons[place_count];
        double online_ms, whole_ms;
        for (int index = 0; index < place_count; index++)
            daemons[index] = launch(&places[index], clients[index], program, &online_ms, &whole_ms);
        let_read(clients, settling_us);
        for (int index = 0; index < place_count; index++) {
            add(&memory[index], (double)status_kb(daemons[index], "RssAnon") / 1024);
            stop(daemons[index]);
        }
    }
    *first = share(&memory[0], 0.5);
    *second = share(&memory[1], 0.5);
}

// MARK: Commands

enum { run_length = 100 };

// What is set: a lamp's brightness where there is no profile, else by the profile as `trilateral-bench model` deals
// them out. The last is a socket, which has no number that can be set.
struct setting {
    const char *key;
    int least, most, first;
};
static const struct setting brightness = {"brightness", 2, 254, 153};
static const struct setting of_profile[] = {
    {"brightness", 2, 254, 153}, {"position", 1, 99, 40}, {"setpoint", 5, 35, 21}, {"brightness", 2, 254, 153}, {0},
};
enum { profile_count = sizeof of_profile / sizeof *of_profile };
// Each change crosses the limit of a rule.
static const struct setting of_leader = {"brightness", 100, 101, 153};

static char awaited_topic[160], awaited_text[64];
static volatile int has_come;
static double came_at;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (has_come || strcmp(message->topic, awaited_topic)) return;
    const char *payload = message->payload, *found = memmem(payload, (size_t)message->payloadlen, awaited_text,
                                                            strlen(awaited_text));
    // The library ends every payload with a zero byte.
    if (!found || isdigit((unsigned char)found[strlen(awaited_text)])) return;
    came_at = now_us();
    if (strstr(payload, "\"status\":\"error\"") || strstr(payload, "\"INCOMPLETE\""))
        fail("a command was refused: %s", payload);
    has_come = 1;
}

// Where the answers come, below the root.
static const char *answer_topic(const struct contender *side) {
    return side->is_command ? "response/command" : "response/set";
}

static double once(struct contender *side, int thing, const struct setting *setting) {
    static int number;
    const char *root = side->root;
    char topic[200], text[200];
    int *value = &side->current[thing], span = setting->most - setting->least + 1;
    // Another value each time, for what does not change is not published.
    if (!*value) *value = setting->first;
    *value = setting->least + (*value - setting->least + 1 + rand() % (span - 1)) % span;
    if (side->things == nearby_lamp) snprintf(topic, sizeof topic, "%s/nearby/set", root);
    else snprintf(topic, sizeof topic, "%s/things/lamp-%d/%s", root, thing, side->is_command ? "command" : "set");
    if (side->awaits_answer) {
        snprintf(awaited_topic, sizeof awaited_topic, "%s/%s", root, answer_topic(side));
        snprintf(awaited_text, sizeof awaited_text, "\"tx\":%d", ++number);
        const char *form = side->is_command ? "{\"actions\":[{\"%s\":%d}],\"tx\":%d" : "{\"%s\":%d,\"tx\":%d";
        int length = snprintf(text, sizeof text, form, setting->key, *value, number);
        if (side->token)
            length += snprintf(text + length, sizeof text - (size_t)length, ",\"token\":\"%s\"", side->token);
        snprintf(text + length, sizeof text - (size_t)length, "}");
    } else {
        int shown = side->things == leading_lamps ? thing + 1 : thing;
        snprintf(awaited_topic, sizeof awaited_topic, "%s/things/lamp-%d", root, shown);
        snprintf(awaited_text, sizeof awaited_text, "\"%s\":%d", setting->key, *value);
        snprintf(text, sizeof text, "{\"%s\":%d}", setting->key, *value);
    }
    has_come = 0;
    double begun = now_us();
    publish(side->client, topic, text, side->qos);
    drive_until(side->client, begun + 5e6, &has_come);
    if (!has_come) fail("%s does not have %s within 5 s", awaited_topic, awaited_text);
    return came_at - begun;
}

// The thing of the next command, and what of it is set.
static int choose(const struct contender *side, int things, const struct setting **setting) {
    *setting = &brightness;
    if (side->things == nearby_lamp) return 1;
    if (side->things == all_lamps) return 1 + rand() % things;
    if (side->things == leading_lamps) *setting = &of_leader;
    if (side->things >= unruled_lamps) return 4 * (rand() % (things / 4)) + 1 + (int)(side->things - unruled_lamps);
    int pair = rand() % (things / 2);
    if (side->things == odd_lamps) return 2 * pair + 1;
    if (side->things == even_profiles) {
        *setting = &of_profile[pair % profile_count];
        if (!(*setting)->key) *setting = &of_profile[--pair % profile_count];
    }
    return 2 * pair + 2;
}

// Commands one after the other; the processor time includes what follows the last one.
static void run(struct contender *side, int things, int counts) {
    double before = processor_ns(side->place->pid);
    for (int round = 0; round < run_length; round++) {
        const struct setting *setting;
        int thing = choose(side, things, &setting);
        double took = once(side, thing, setting);
        if (counts) add(&side->delays, took);
        if (side->pause_us > 0) drive_until(side->client, now_us() + side->pause_us, NULL);
    }
    drive_until(side->client, now_us() + 50e3, NULL);
    if (counts) side->processor_ns += processor_ns(side->place->pid) - before;
}

void take_turns(struct contender *sides, int count, int things, int rounds) {
    char filter[160];
    for (int index = 0; index < count; index++) {
        struct contender *side = &sides[index];
        side->client = dial(side->place->port, heard);
        side->current = calloc((size_t)things + 1, sizeof *side->current);
        if (!side->client || !side->current) fail("no broker on port %d", side->place->port);
    }
    // One subscriber at a time, for a broker with two has more to do. The first turn of each warms up, and another side
    // is first each time.
    for (int turn = -count; turn < rounds / run_length * count; turn++) {
        struct contender *side = &sides[(turn + count + (turn + count) / count) % count];
        snprintf(filter, sizeof filter, "%s/%s", side->root, side->awaits_answer ? answer_topic(side) : "things/+");
        subscribe(side->client, filter, side->qos);
        // What is retained comes first.
        if (!side->awaits_answer) drive_until(side->client, now_us() + 3e5, NULL);
        run(side, things, turn >= 0);
        mosquitto_unsubscribe(side->client, NULL, filter);
        drive_until(side->client, now_us() + 1e4, NULL);
    }
    for (int index = 0; index < count; index++) {
        mosquitto_disconnect(sides[index].client);
        mosquitto_destroy(sides[index].client);
        free(sides[index].current);
    }
}

static void row_of_ratio(const char *what, double other, double ours, double aim) {
    char text[32] = "–";
    if (aim > 0) snprintf(text, sizeof text, "≤ %.2f", aim);
    row_beside(what, "µs", 0, other, ours, text, aim > 0 ? ours / other <= aim : -1);
}

void compare_contenders(const char *what, struct contender *other, struct contender *ours, int rounds, double median,
                        double processor) {
    char text[240];
    snprintf(text, sizeof text, "%s, median", what);
    row_of_ratio(text, share(&other->delays, 0.5), share(&ours->delays, 0.5), median);
    snprintf(text, sizeof text, "%s, 99 %%", what);
    row_of_ratio(text, share(&other->delays, 0.99), share(&ours->delays, 0.99), 0);
    snprintf(text, sizeof text, "%s, processor time", what);
    row_of_ratio(text, other->processor_ns / 1e3 / rounds, ours->processor_ns / 1e3 / rounds, processor);
}
