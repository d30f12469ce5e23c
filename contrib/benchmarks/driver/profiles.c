// What profiles cost a daemon: a place of lamps without any beside the same place in which every second thing has one.
// The places take turns; each has a broker of its own, so that what is retained is only its own.
#define _GNU_SOURCE
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { plain, profiled, place_count };

// MARK: Start

static void measure_starts(const struct place *places, struct mosquitto **clients, int runs, char *program) {
    struct starts starts[place_count] = {0};
    compare_starts(places, clients, runs, program, starts);
    struct starts *without = &starts[plain], *with = &starts[profiled];
    double median = share(&with->online, 0.5);
    row_beside("start to `status` online, half of 1,000 things with profiles, against none, median", "ms", 0,
               share(&without->online, 0.5), median, "≤ 100 ms", median <= 100);
    row_beside("the same, fastest", "ms", 0, share(&without->online, 0), share(&with->online, 0), "–", -1);
    row_beside("start to all 1,000 things published, half of them with profiles, against none", "ms", 0,
               share(&without->whole, 0.5), share(&with->whole, 0.5), "–", -1);
    row_beside("the same with their announcements, processor time", "ms", 0, share(&without->processor, 0.5),
               share(&with->processor, 0.5), "–", -1);
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
    double without, with;
    compare_memory(places, clients, program, &without, &with);
    row_beside("idle, half of 1,000 things with profiles, against none: anonymous memory", "MB", 1, without, with,
               "≤ 2.0 MB more", with - without <= 2);
    compare_announcements(places, things);
    return 0;
}

// MARK: Commands

// Things with profiles, those without beside them, and those of the place that has no profiles.
enum { with_profile, beside_profiles, without_profiles, sides };

static void print_rows(const char *what, struct contender *other, struct contender *ours, int rounds) {
    char text[160];
    snprintf(text, sizeof text, "command to state, QoS 1, %s, median", what);
    row_ratio(text, "µs", share(&other->delays, 0.5), share(&ours->delays, 0.5), 1.1);
    snprintf(text, sizeof text, "command to state, QoS 1, %s, 99 %%", what);
    row_ratio(text, "µs", share(&other->delays, 0.99), share(&ours->delays, 0.99), 1.5);
    snprintf(text, sizeof text, "command to state, QoS 1, %s, processor time", what);
    row_ratio(text, "µs", other->processor_ns / 1e3 / rounds, ours->processor_ns / 1e3 / rounds, 1.1);
}

int profile_commands(const struct place *places, const char *root, int things, int rounds) {
    struct contender contenders[sides] = {0};
    for (int index = 0; index < sides; index++) {
        contenders[index].place = &places[index == without_profiles ? plain : profiled];
        contenders[index].root = root;
        contenders[index].qos = 1;
        contenders[index].things = index == with_profile ? even_profiles : odd_lamps;
    }
    take_turns(contenders, sides, things, rounds);
    print_rows("a thing with a profile against one without in the same place", &contenders[beside_profiles],
               &contenders[with_profile], rounds);
    print_rows("a thing without a profile, in a place with profiles against one without",
               &contenders[without_profiles], &contenders[beside_profiles], rounds);
    return 0;
}
