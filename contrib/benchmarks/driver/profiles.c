// What profiles cost a daemon: a place of lamps without any beside the same place in which every second thing has one.
// The places take turns; each has a broker of its own, so that what is retained is only its own.
#define _GNU_SOURCE
#include "measure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { plain, profiled, place_count };

// MARK: Start and memory

enum { memory_runs = 3 };

// Memory is read when what the start needed has been given back, which the daemon does every 20 s.
static const double settling_us = 24e6;

static pid_t launch(const struct place *place, struct mosquitto *client, char *program, double *online, double *whole) {
    char port[16], *command[] = {program, "run", "--state", place->state, NULL};
    snprintf(port, sizeof port, "%d", place->port);
    setenv("TRILATERAL_MQTT_PORT", port, 1);
    return start_once(client, command, online, whole);
}

static void measure_starts(const struct place *places, struct mosquitto **clients, int runs, char *program) {
    struct sample online[place_count] = {0}, whole[place_count] = {0}, processor[place_count] = {0};
    // The first start of each warms database and broker and is not counted.
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
            add(&processor[index], processor_ms);
            add(&online[index], online_ms);
            add(&whole[index], whole_ms);
        }
    }
    double median = share(&online[profiled], 0.5);
    row_beside("start to `status` online, half of 1,000 things with profiles, against none, median", "ms", 0,
               share(&online[plain], 0.5), median, "≤ 100 ms", median <= 100);
    row_beside("the same, fastest", "ms", 0, share(&online[plain], 0), share(&online[profiled], 0), "–", -1);
    row_beside("start to all 1,000 things published, half of them with profiles, against none", "ms", 0,
               share(&whole[plain], 0.5), share(&whole[profiled], 0.5), "–", -1);
    row_beside("the same with their announcements, processor time", "ms", 0, share(&processor[plain], 0.5),
               share(&processor[profiled], 0.5), "–", -1);
}

static void measure_memory(const struct place *places, struct mosquitto **clients, char *program) {
    struct sample memory[place_count] = {0};
    for (int run = 0; run < memory_runs; run++) {
        pid_t daemons[place_count];
        double online_ms, whole_ms;
        for (int index = 0; index < place_count; index++)
            daemons[index] = launch(&places[index], clients[index], program, &online_ms, &whole_ms);
        double end = now_us() + settling_us;
        // Both clients read in small steps, so that neither broker has to keep anything for them.
        for (int index = 0; now_us() < end; index = (index + 1) % place_count)
            drive_until(clients[index], now_us() + 1e5, NULL);
        for (int index = 0; index < place_count; index++) {
            add(&memory[index], (double)status_kb(daemons[index], "RssAnon") / 1024);
            stop(daemons[index]);
        }
    }
    double without = share(&memory[plain], 0.5), with = share(&memory[profiled], 0.5);
    row_beside("idle, half of 1,000 things with profiles, against none: anonymous memory", "MB", 1, without, with,
               "≤ 2.0 MB more", with - without <= 2);
}

// MARK: Discovery

// What is retained of each thing, by its number.
struct announcements {
    char **texts;
    int things, count;
    size_t bytes;
};

static void heard_device(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client;
    struct announcements *found = object;
    const char *name = strstr(message->topic, "_lamp-");
    int thing = name ? atoi(name + strlen("_lamp-")) : 0;
    if (thing < 1 || thing > found->things || !message->payloadlen || found->texts[thing]) return;
    found->texts[thing] = strdup(message->payload);
    found->bytes += (size_t)message->payloadlen;
    found->count++;
}

static struct announcements announced(int port, int things) {
    struct announcements found = {calloc((size_t)things + 1, sizeof(char *)), things, 0, 0};
    struct mosquitto *client = dial(port, heard_device);
    if (!client || !found.texts) fail("no broker on port %d", port);
    mosquitto_user_data_set(client, &found);
    subscribe(client, "homeassistant/device/+/config", 0);
    double end = now_us() + 10e6;
    while (found.count < things && now_us() < end) drive_until(client, now_us() + 1e5, NULL);
    if (found.count < things) fail("%d of %d things are announced", found.count, things);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return found;
}

// Odd numbers have no profile in either place.
static int has_profile(int thing) { return thing % 2 == 0; }

static void compare_announcements(const struct place *places, int things) {
    struct announcements without = announced(places[plain].port, things);
    struct announcements with = announced(places[profiled].port, things);
    int different = 0;
    for (int thing = 1; thing <= things; thing++)
        if (!has_profile(thing)) different += strcmp(without.texts[thing], with.texts[thing]) != 0;
    printf("| announcements of things without a profile that others with profiles change | – | %d | – | 0 | %s |\n",
           different, different ? "**no**" : "yes");
    row_beside("announcements of 1,000 things, half of them with profiles, against none", "MB", 2,
               (double)without.bytes / 1e6, (double)with.bytes / 1e6, "–", -1);
}

int profile_starts(const struct place *places, const char *root, int things, int runs, char *program) {
    struct mosquitto *clients[place_count];
    for (int index = 0; index < place_count; index++) clients[index] = watch_start(places[index].port, root, things);
    measure_starts(places, clients, runs, program);
    measure_memory(places, clients, program);
    compare_announcements(places, things);
    return 0;
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

// Things with profiles, those without beside them, and those of the place that has no profiles.
enum { with_profile, beside_profiles, without_profiles, sides };

struct side {
    struct mosquitto *client;
    // The value of each thing as last set.
    int pid, *current;
    struct sample delays;
    double processor_ns;
};

static char awaited_topic[160], awaited_text[64];
static volatile int has_come;
static double came_at;

static void heard_state(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (has_come || strcmp(message->topic, awaited_topic)) return;
    const char *found = memmem(message->payload, (size_t)message->payloadlen, awaited_text, strlen(awaited_text));
    // The library ends every payload with a zero byte.
    if (!found || isdigit((unsigned char)found[strlen(awaited_text)])) return;
    came_at = now_us();
    has_come = 1;
}

static double once(struct side *side, const char *root, int thing, const struct setting *setting) {
    char topic[200], text[64];
    int *value = &side->current[thing], span = setting->most - setting->least + 1;
    // Another value each time, for what does not change is not published.
    if (!*value) *value = setting->first;
    *value = setting->least + (*value - setting->least + 1 + rand() % (span - 1)) % span;
    snprintf(awaited_topic, sizeof awaited_topic, "%s/things/lamp-%d", root, thing);
    snprintf(awaited_text, sizeof awaited_text, "\"%s\":%d", setting->key, *value);
    snprintf(topic, sizeof topic, "%s/set", awaited_topic);
    snprintf(text, sizeof text, "{\"%s\":%d}", setting->key, *value);
    has_come = 0;
    double begun = now_us();
    publish(side->client, topic, text, 1);
    drive_until(side->client, begun + 5e6, &has_come);
    if (!has_come) fail("%s does not become %s within 5 s", awaited_topic, awaited_text);
    return came_at - begun;
}

// Commands one after the other; the processor time includes what follows the last state.
static void run(struct side *side, int has_profiles, const char *root, int things, int counts) {
    double before = processor_ns(side->pid);
    for (int round = 0; round < run_length; round++) {
        int pair = rand() % (things / 2);
        const struct setting *setting = has_profiles ? &of_profile[pair % profile_count] : &brightness;
        if (!setting->key) setting = &of_profile[--pair % profile_count];
        int thing = 2 * pair + (has_profiles ? 2 : 1);
        double took = once(side, root, thing, setting);
        if (counts) add(&side->delays, took);
    }
    drive_until(side->client, now_us() + 50e3, NULL);
    if (counts) side->processor_ns += processor_ns(side->pid) - before;
}

static void print_rows(const char *what, struct side *other, struct side *ours, int rounds) {
    char text[160];
    snprintf(text, sizeof text, "command to state, QoS 1, %s, median", what);
    row_ratio(text, "µs", share(&other->delays, 0.5), share(&ours->delays, 0.5), 1.1);
    snprintf(text, sizeof text, "command to state, QoS 1, %s, 99 %%", what);
    row_ratio(text, "µs", share(&other->delays, 0.99), share(&ours->delays, 0.99), 1.5);
    snprintf(text, sizeof text, "command to state, QoS 1, %s, processor time", what);
    row_ratio(text, "µs", other->processor_ns / 1e3 / rounds, ours->processor_ns / 1e3 / rounds, 1.1);
}

int profile_commands(const struct place *places, const char *root, int things, int rounds) {
    struct side contenders[sides] = {0};
    char filter[160];
    snprintf(filter, sizeof filter, "%s/things/+", root);
    for (int index = 0; index < sides; index++) {
        const struct place *place = &places[index == without_profiles ? plain : profiled];
        struct side *side = &contenders[index];
        side->pid = place->pid;
        side->client = dial(place->port, heard_state);
        side->current = calloc((size_t)things + 1, sizeof *side->current);
        if (!side->client || !side->current) fail("no broker on port %d", place->port);
    }
    // One subscriber at a time, for a broker with two has more to do.
    for (int turn = -sides; turn < rounds / run_length * sides; turn++) {
        int index = (turn + sides + (turn + sides) / sides) % sides;
        subscribe(contenders[index].client, filter, 1);
        // What is retained comes first.
        drive_until(contenders[index].client, now_us() + 3e5, NULL);
        run(&contenders[index], index == with_profile, root, things, turn >= 0);
        mosquitto_unsubscribe(contenders[index].client, NULL, filter);
        drive_until(contenders[index].client, now_us() + 1e4, NULL);
    }
    print_rows("a thing with a profile against one without in the same place", &contenders[beside_profiles],
               &contenders[with_profile], rounds);
    print_rows("a thing without a profile, in a place with profiles against one without",
               &contenders[without_profiles], &contenders[beside_profiles], rounds);
    return 0;
}
