// From a command to its answer, and the processor time that it takes: the daemon, a program in C that does the same work
// and a script in Python that does, by turns on one broker. And the daemon with a thing that is near, one with a profile,
// and a user's token, each beside a plain thing.
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_c, in_python, plain, nearby, with_profile, with_token, sides };

static const double parts[] = {0.5, 0.99};
// Median, 99 %, processor time.
enum { columns = 3 };

struct pace {
    const char *name;
    int qos;
    // Between an answer and the next command, microseconds.
    double pause;
    // At most so many times what C and the script take.
    double of_c[columns], of_python;
};

static void read_columns(struct contender *side, int rounds, double *values) {
    for (int index = 0; index < 2; index++) values[index] = share(&side->delays, parts[index]);
    values[2] = side->processor_ns / 1e3 / rounds;
}

static void print_row(const char *pace, const char *what, const double *other, const double *ours, const double *marks) {
    printf("| %s | %s ", pace, what);
    for (int index = 0; index < columns; index++) {
        double ratio = ours[index] / other[index];
        printf("| %.2f, ≤ %.2f: %s ", ratio, marks[index], ratio <= marks[index] ? "yes" : "**no**");
    }
    printf("| %.0f, %.0f, %.0f | %.0f, %.0f, %.0f |\n", other[0], other[1], other[2], ours[0], ours[1], ours[2]);
    fflush(stdout);
}

static void measure(const struct pace *pace, const struct contender *all, int things, int rounds) {
    struct contender contenders[sides];
    double values[sides][columns];
    for (int side = 0; side < sides; side++) {
        contenders[side] = all[side];
        contenders[side].qos = pace->qos;
        contenders[side].pause_us = pace->pause;
    }
    take_turns(contenders, sides, things, rounds);
    for (int side = 0; side < sides; side++) {
        read_columns(&contenders[side], rounds, values[side]);
        free(contenders[side].delays.values);
    }
    const double script[columns] = {pace->of_python, pace->of_python, pace->of_python}, like_plain[columns] = {1.15, 1.15, 1.15};
    print_row(pace->name, "a plain thing, against the same work in C", values[in_c], values[plain], pace->of_c);
    print_row(pace->name, "the same, against Python", values[in_python], values[plain], script);
    print_row(pace->name, "the thing nearby, against a plain one", values[plain], values[nearby], like_plain);
    print_row(pace->name, "a thing with a profile, against a plain one", values[plain], values[with_profile], like_plain);
    print_row(pace->name, "with a user's token, against without", values[plain], values[with_token], like_plain);
}

static volatile int is_near;

static void heard_nearby(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (message->payload && strstr(message->payload, "\"slug\":\"lamp-1\"")) is_near = 1;
}

void go_near(int port, const char *root) {
    char topic[160];
    struct mosquitto *client = dial(port, heard_nearby);
    if (!client) fail("no broker on port %d", port);
    snprintf(topic, sizeof topic, "%s/nearby", root);
    subscribe(client, topic, 1);
    snprintf(topic, sizeof topic, "%s/device/set", root);
    is_near = 0;
    // Once a second, for several positions must agree.
    for (int step = 0; step < 20 && !is_near; step++) {
        publish(client, topic, "{\"position\":{\"x\":1,\"y\":1,\"z\":1}}", 1);
        drive_until(client, now_us() + 1e6, &is_near);
    }
    if (!is_near) fail("nothing becomes near");
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
}

int echo(int port, const char *root, int things, int rounds, const int *pids, const char *token) {
    const struct place places[] = {{port, NULL, pids[in_c]}, {port, NULL, pids[in_python]}, {port, NULL, pids[plain]}};
    const struct contender all[sides] = {
        [in_c] = {&places[in_c], "trilateral/plain", all_lamps, .awaits_answer = 1},
        [in_python] = {&places[in_python], "trilateral/script", all_lamps, .awaits_answer = 1},
        [plain] = {&places[plain], root, odd_lamps, .awaits_answer = 1},
        [nearby] = {&places[plain], root, nearby_lamp, .awaits_answer = 1},
        [with_profile] = {&places[plain], root, even_profiles, .awaits_answer = 1},
        [with_token] = {&places[plain], root, odd_lamps, .awaits_answer = 1, .token = token},
    };
    static const struct pace paces[] = {
        {"back to back, QoS 0", 0, 0, {1.4, 2, 1.7}, 0.85},
        {"back to back, QoS 1", 1, 0, {1.4, 2, 1.7}, 0.85},
        {"10 ms apart, QoS 0", 0, 10e3, {1.8, 2, 2.5}, 0.95},
        {"10 ms apart, QoS 1", 1, 10e3, {1.8, 2, 2.5}, 0.95},
    };
    go_near(port, root);
    puts("| a command to its answer | | median | 99 % | processor time | µs, the other's | µs, Trilateral's |");
    puts("| --- | --- | --- | --- | --- | --- | --- |");
    for (size_t index = 0; index < sizeof paces / sizeof *paces; index++)
        measure(&paces[index], all, things, paces[index].pause > 0 ? rounds / 3 : rounds);
    return 0;
}
