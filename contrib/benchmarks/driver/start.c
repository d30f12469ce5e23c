// From the start of the process until a subscriber sees it online, and until it has seen every thing.
#include "measure.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char status_topic[128], thing_prefix[128];
static volatile int is_online, is_whole;
static int wanted, seen;
static double online_at, whole_at;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (message->retain) return;
    if (!strcmp(message->topic, status_topic)) {
        if (is_online || message->payloadlen != 6 || memcmp(message->payload, "online", 6)) return;
        online_at = now_us();
        is_online = 1;
    } else if (!strncmp(message->topic, thing_prefix, strlen(thing_prefix))) {
        if (++seen != wanted) return;
        whole_at = now_us();
        is_whole = 1;
    }
}

struct mosquitto *watch_start(int port, const char *root, int things) {
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    char filter[160];
    wanted = things;
    snprintf(status_topic, sizeof status_topic, "%s/status", root);
    snprintf(thing_prefix, sizeof thing_prefix, "%s/things/", root);
    snprintf(filter, sizeof filter, "%s/things/+", root);
    subscribe(client, status_topic, 1);
    subscribe(client, filter, 1);
    return client;
}

pid_t start_once(struct mosquitto *client, char **command, double *online_ms, double *whole_ms) {
    is_online = is_whole = seen = 0;
    double begun = now_us();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execv(command[0], command);
        _exit(127);
    }
    drive_until(client, begun + 10e6, &is_online);
    drive_until(client, begun + 20e6, &is_whole);
    if (!is_online || !is_whole) {
        kill(child, SIGKILL);
        fail("%s", is_online ? "the things did not all come within 20 s" : "not online within 10 s");
    }
    *online_ms = (online_at - begun) / 1000;
    *whole_ms = (whole_at - begun) / 1000;
    return child;
}

void stop(pid_t daemon) {
    kill(daemon, SIGTERM);
    waitpid(daemon, NULL, 0);
}

int start(int port, const char *root, int things, int runs, char **command) {
    struct mosquitto *client = watch_start(port, root, things);
    struct sample online = {0}, whole = {0};
    // The first start warms database and broker and is not counted.
    for (int run = -1; run < runs; run++) {
        double online_ms, whole_ms;
        drive_until(client, now_us() + 5e5, NULL);
        pid_t daemon = start_once(client, command, &online_ms, &whole_ms);
        if (run >= 0) {
            add(&online, online_ms);
            add(&whole, whole_ms);
        }
        drive_until(client, now_us() + 1e6, NULL);
        stop(daemon);
    }
    row_below("start to `status` online, 1,000 things, median of the starts", "%.0f ms", share(&online, 0.5),
              "< 100 ms", 100);
    row_below("the same, slowest", "%.0f ms", share(&online, 1), "–", 0);
    row_below("start to all 1,000 things published", "%.0f ms", share(&whole, 0.5), "–", 0);
    return 0;
}
