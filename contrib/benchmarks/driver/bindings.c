// What things with owners cost a daemon: memory while nothing happens, a command beside a plain set, and plain sets while
// a thousand things report. As `trilateral-bench bindings` makes it, every second thing of the place is bound and reports
// itself, and so are the first few of the others, whose commands the Flare server carries out.
#include "measure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { unbound, bound, place_count };

int bindings_memory(const struct place *places, const char *root, int things, char *program) {
    struct mosquitto *clients[place_count];
    for (int index = 0; index < place_count; index++) clients[index] = watch_start(places[index].port, root, things);
    double without, with;
    compare_memory(places, clients, program, &without, &with);
    row_beside("idle, 1,000 things with owners, against none: anonymous memory", "MB", 1, without, with, "≤ 3.0 MB more",
               with - without <= 3);
    return 0;
}

// MARK: Things that report

static void heard_error(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    fail("%s: %.*s", message->topic, message->payloadlen, (const char *)message->payload);
}

// Each thing sends a state a second, from a process of its own, until that is ended.
static pid_t report(int port, const char *root, int bindings) {
    pid_t child = fork();
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char topic[160], text[160];
    struct mosquitto *client = dial(port, heard_error);
    if (!client) fail("no broker on port %d", port);
    snprintf(topic, sizeof topic, "%s/edge/+/error", root);
    subscribe(client, topic, 1);
    double begun = now_us();
    for (long number = 0;; number++) {
        drive_until(client, begun + (double)number * (1e6 / bindings), NULL);
        // The even ones are those that report.
        long thing = 2 * (number % bindings + 1), round = number / bindings;
        snprintf(topic, sizeof topic, "%s/edge/v-%ld/state", root, thing);
        snprintf(text, sizeof text, "{\"temperature\":%.1f,\"humidity\":%.1f,\"open\":%s}", 18 + (double)((thing + round) % 60) / 10,
                 40 + (double)((thing + 3 * round) % 200) / 10, round % 2 ? "true" : "false");
        publish(client, topic, text, 1);
    }
}

// MARK: Commands

// Things whose commands are measured: the odd ones up to this number, as many as are bound to the Flare server.
enum { commanded = 20 };

// After the first states all things are announced with their sensors.
static const useconds_t settling = 10000000;

int bindings_commands(const struct place *place, const char *root, int bindings, int rounds) {
    struct contender sides[] = {
        {.place = place, .root = root, .things = odd_lamps, .qos = 1, .awaits_answer = 1},
        {.place = place, .root = root, .things = odd_lamps, .qos = 1, .awaits_answer = 1, .is_command = 1},
    };
    struct contender *set = &sides[0], *command = &sides[1];
    take_turns(sides, sizeof sides / sizeof *sides, commanded, rounds);
    row_ratio("a command of one action to its end, against a plain set: median", "µs", share(&set->delays, 0.5),
              share(&command->delays, 0.5), 1.3);
    row_beside("the same, 99 %", "µs", 0, share(&set->delays, 0.99), share(&command->delays, 0.99), "–", -1);
    row_beside("the same, processor time", "µs", 0, set->processor_ns / 1e3 / rounds, command->processor_ns / 1e3 / rounds,
               "–", -1);

    struct contender busy = {.place = place, .root = root, .things = odd_lamps, .qos = 1, .awaits_answer = 1};
    pid_t child = report(place->port, root, bindings);
    usleep(settling);
    take_turns(&busy, 1, commanded, rounds);
    if (waitpid(child, NULL, WNOHANG) != 0) fail("things have not reported meanwhile");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char text[160];
    snprintf(text, sizeof text, "plain sets while %d things report once a second, against none: 99 %%", bindings);
    row_ratio(text, "µs", share(&set->delays, 0.99), share(&busy.delays, 0.99), 2);
    row_beside("the same, median", "µs", 0, share(&set->delays, 0.5), share(&busy.delays, 0.5), "–", -1);
    return 0;
}
