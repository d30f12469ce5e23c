// What rules cost a daemon: its start, memory, and rest beside the same place without any; commands there and on things that
// rules look at; and the way from a change of one lamp to the change of another one that a rule makes of it. The rules are
// those of `trilateral-bench rules`.
#include "measure.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// MARK: Start, memory, rest

enum { ruleless, ruled, pair_count };

static void measure_starts(const struct place *places, struct mosquitto **clients, int runs, char *program) {
    struct starts starts[pair_count] = {0};
    compare_starts(places, clients, runs, program, starts);
    struct starts *without = &starts[ruleless], *with = &starts[ruled];
    double first = share(&without->online, 0.5), second = share(&with->online, 0.5);
    row_beside("start to `status` online, 1,000 rules, against none, median", "ms", 0, first, second, "≤ 10 ms more",
               second - first <= 10);
    row_beside("the same, fastest", "ms", 0, share(&without->online, 0), share(&with->online, 0), "–", -1);
    row_beside("start to all 1,000 things published, 1,000 rules, against none", "ms", 0, share(&without->whole, 0.5),
               share(&with->whole, 0.5), "–", -1);
    row_beside("the same and a second more, processor time", "ms", 0, share(&without->processor, 0.5),
               share(&with->processor, 0.5), "–", -1);
}

// Both rest at the same time, so that a neighbour disturbs both.
static void measure_rest(const struct place *places, struct mosquitto **clients, int seconds, char *program) {
    pid_t daemons[pair_count];
    struct wakeups wakeups[pair_count] = {0};
    double online_ms, whole_ms, processor[pair_count], percent[pair_count], rates[pair_count];
    long first[pair_count];
    for (int index = 0; index < pair_count; index++)
        daemons[index] = launch(&places[index], clients[index], program, &online_ms, &whole_ms);
    let_read(clients, settling_us);
    double begun = now_us();
    for (int index = 0; index < pair_count; index++) {
        processor[index] = processor_ns(daemons[index]);
        read_wakeups(daemons[index], &wakeups[index]);
        first[index] = wakeups[index].sum;
    }
    for (int second = 0; second < seconds; second++) {
        let_read(clients, 1e6);
        for (int index = 0; index < pair_count; index++) read_wakeups(daemons[index], &wakeups[index]);
    }
    double passed_us = now_us() - begun;
    for (int index = 0; index < pair_count; index++) {
        percent[index] = (processor_ns(daemons[index]) - processor[index]) / (passed_us * 1000) * 100;
        rates[index] = (double)(wakeups[index].sum - first[index]) / (passed_us / 1e6);
        stop(daemons[index]);
    }
    row_beside("idle, 1,000 rules, against none: wake-ups", "/s", 2, rates[ruleless], rates[ruled], "≤ 1.10",
               rates[ruled] <= 1.1 * rates[ruleless]);
    row_beside("idle, 1,000 rules, against none: processor", "% of a core", 3, percent[ruleless], percent[ruled], "≤ 1.20",
               percent[ruled] <= 1.2 * percent[ruleless]);
}

int rules_starts(const struct place *places, const char *root, int things, int runs, int seconds, char *program) {
    struct mosquitto *clients[pair_count];
    for (int index = 0; index < pair_count; index++) clients[index] = watch_start(places[index].port, root, things);
    measure_starts(places, clients, runs, program);
    double without, with;
    compare_memory(places, clients, program, &without, &with);
    row_beside("idle, 1,000 rules, against none: anonymous memory", "MB", 1, without, with, "≤ 2.0 MB more",
               with - without <= 2);
    measure_rest(places, clients, seconds, program);
    return 0;
}

// MARK: Commands

enum { none, few, many, place_count };

// Rules of each place.
static const int rule_counts[place_count] = {0, 10, 1000};

static int running, others;

static void heard_rule(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (!message->retain || !message->payload) return;
    if (strstr(message->payload, "\"enabled\":true") && !strstr(message->payload, "\"suspended\"")) running++;
    else others++;
}

// Requires that so many rules run, and no others: what does not run costs nothing.
static void require_rules(const struct place *place, const char *root, int count) {
    char filter[160];
    snprintf(filter, sizeof filter, "%s/rules/+", root);
    for (int attempt = 0; attempt < 15; attempt++) {
        running = others = 0;
        struct mosquitto *client = dial(place->port, heard_rule);
        if (!client) fail("no broker on port %d", place->port);
        subscribe(client, filter, 0);
        drive_until(client, now_us() + 1e6, NULL);
        mosquitto_disconnect(client);
        mosquitto_destroy(client);
        if (running == count && others == 0) return;
    }
    fail("%d rules run and %d do not, where %d should run", running, others, count);
}

// Lamps of which commands are measured: the first ten that a rule looks at, as there are in each place with rules, and ten
// that none looks at.
enum { commanded = 40 };

// After a start things and rules are announced for some seconds.
static const useconds_t announcing_us = 20000000;

int rules_commands(const struct place *places, const char *root, int things, int rounds) {
    for (int index = 0; index < place_count; index++) require_rules(&places[index], root, rule_counts[index]);
    usleep(announcing_us);

    enum { plain_none, plain_many, watched_few, watched_many, sides };
    struct contender contenders[sides] = {
        [plain_none] = {&places[none], root, unruled_lamps, .qos = 1, .awaits_answer = 1},
        [plain_many] = {&places[many], root, unruled_lamps, .qos = 1, .awaits_answer = 1},
        [watched_few] = {&places[few], root, watched_lamps, .qos = 1, .awaits_answer = 1},
        [watched_many] = {&places[many], root, watched_lamps, .qos = 1, .awaits_answer = 1},
    };
    take_turns(contenders, sides, commanded, rounds);
    compare_contenders("command to answer, a thing that no rule looks at, among 1,000 rules, against none",
                       &contenders[plain_none], &contenders[plain_many], rounds, 1.05, 1.05);
    compare_contenders("command to answer, a thing that one rule looks at, among 1,000 rules, against 10",
                       &contenders[watched_few], &contenders[watched_many], rounds, 1.2, 1.2);
    compare_contenders("command to answer, a thing that one rule looks at, against one that none looks at, among 1,000 rules",
                       &contenders[plain_many], &contenders[watched_many], rounds, 0, 0);

    // On all lamps, so that no rule fires so often that it is stopped.
    struct contender echoes[] = {
        {&places[many], root, unruled_lamps, .qos = 1},
        {&places[many], root, leading_lamps, .qos = 1},
    };
    take_turns(echoes, sizeof echoes / sizeof *echoes, things, rounds);
    compare_contenders("command to the state of a second lamp by a rule, against a plain command to its state", &echoes[0],
                       &echoes[1], rounds, 2.2, 0);
    return 0;
}
