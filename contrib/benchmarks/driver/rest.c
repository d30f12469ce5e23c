// REST: lists of different lengths, asked for by 16 connections of one thread, each as soon as it has its answer.
#include "measure.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { connections = 16, seconds = 3, turns = 2 };

struct asker {
    struct buffer input;
    int socket;
    double asked;
};

// Adds to the sample the time of each answer, microseconds; returns answers a second. `token` may be NULL.
static double ask(int port, const char *path, const char *token, struct sample *times) {
    char text[300];
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s%s\r\n", path,
                          token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    static struct asker askers[connections];
    struct epoll_event events[connections];
    int epoll = epoll_create1(0), answers = 0;
    for (int index = 0; index < connections; index++) {
        struct asker *asker = &askers[index];
        *asker = (struct asker){.socket = connect_to(port)};
        do_not_wait(asker->socket);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = asker};
        epoll_ctl(epoll, EPOLL_CTL_ADD, asker->socket, &event);
        asker->asked = now_us();
        send_all(asker->socket, text, (size_t)length);
    }
    double begun = now_us(), now = begun;
    while (now - begun < seconds * 1e6) {
        int count = epoll_wait(epoll, events, connections, 1000);
        if (count == 0) fail("no answer to GET %s for a second", path);
        for (int index = 0; index < count; index++) {
            struct asker *asker = events[index].data.ptr;
            if (fill(&asker->input, asker->socket) == 0) fail("the server closes while GET %s is asked", path);
            size_t body, whole = http_message(&asker->input, &body);
            now = now_us();
            if (!whole) continue;
            if (strncmp(asker->input.bytes, "HTTP/1.1 200", 12)) fail("GET %s: %.100s", path, asker->input.bytes);
            asker->input.start = asker->input.end = 0;
            add(times, now - asker->asked);
            answers++;
            asker->asked = now;
            send_all(asker->socket, text, (size_t)length);
        }
    }
    for (int index = 0; index < connections; index++) close(askers[index].socket), free(askers[index].input.bytes);
    close(epoll);
    return answers / ((now - begun) / 1e6);
}

// The original's best figures of flare-protocol 14, where it has any: answers a second, and milliseconds for 99 %.
static void measure(int port, const char *what, const char *path, double rate, double slowest) {
    struct sample floors = {0}, ours = {0};
    double floor_rate = 0, our_rate = 0;
    size_t length;
    char *body = request(port, "GET", path, NULL, &length), text[160];
    int floor_port;
    pid_t floor = start_floor(&floor_port, body, length);
    for (int turn = 0; turn < turns; turn++) {
        floor_rate += ask(floor_port, path, NULL, &floors) / turns;
        our_rate += ask(port, path, NULL, &ours) / turns;
    }
    kill(floor, SIGKILL);
    waitpid(floor, NULL, 0);
    snprintf(text, sizeof text, "GET %s, %.1f kB: answers a second", what, (double)length / 1000);
    row(text, "", floor_rate, our_rate, rate > 0 ? rate * 10 : -1, 1);
    snprintf(text, sizeof text, "GET %s: median", what);
    row(text, "µs", share(&floors, 0.5), share(&ours, 0.5), -1, 0);
    snprintf(text, sizeof text, "GET %s: 99 %%", what);
    row(text, "µs", share(&floors, 0.99), share(&ours, 0.99), slowest > 0 ? slowest * 1000 / 10 : -1, 0);
    free(body);
}

static void add_things(int connection, const char *path, int count) {
    char json[600], id[25];
    for (int index = 0; index < count; index++) {
        snprintf(json, sizeof json,
                 "{\"name\":\"Lamp %d\",\"description\":\"A lamp that stands on the floor beside the sofa\","
                 "\"position\":{\"x\":%d,\"y\":%d,\"z\":0},\"data\":{\"minor\":%d,\"color\":\"orange\",\"brightness\":0.5,"
                 "\"price\":49,\"on\":true,\"quantity\":{\"red\":3,\"orange\":5,\"yellow\":0,\"green\":1,\"blue\":2},"
                 "\"size\":\"40 x 40 x 160 cm\",\"options\":[\"red\",\"orange\",\"yellow\",\"green\",\"blue\",\"purple\"]}}",
                 index, index % 30, index / 30, index);
        create(connection, path, json, id);
    }
}

int rest(int port) {
    char hall[25], zone[25], path[160];
    int connection = connect_to(port);
    create(connection, "/environments",
           "{\"name\":\"Hall\",\"description\":\"A hall of a house in which nothing is but lamps\",\"angle\":195,"
           "\"data\":{\"distance\":2},"
           "\"geofence\":{\"latitude\":48.8,\"longitude\":2.3,\"radius\":100},"
           "\"perimeter\":{\"origin\":{\"x\":0,\"y\":0},\"size\":{\"width\":40,\"height\":40}}}", hall);
    snprintf(path, sizeof path, "/environments/%s/zones", hall);
    create(connection, path, "{\"name\":\"West\"}", zone);
    snprintf(path, sizeof path, "/environments/%s/zones/%s/things", hall, zone);
    add_things(connection, path, 8);
    measure(port, "/environments", "/environments", 3580, 15);
    measure(port, "…/zones/Z/things of 8", path, 1690, 25);
    add_things(connection, path, 992);
    snprintf(path, sizeof path, "/environments/%s/things", hall);
    measure(port, "…/things of 1,000", path, -1, -1);
    close(connection);
    return 0;
}

int lists(int port, const char *tokens) {
    char all[1][token_room];
    read_tokens(tokens, 1, all);
    struct sample whole = {0}, filtered = {0};
    double whole_rate = 0, filtered_rate = 0;
    for (int turn = 0; turn < 2 * turns; turn++) {
        whole_rate += ask(port, "/api/things", NULL, &whole) / (2 * turns);
        filtered_rate += ask(port, "/api/things", all[0], &filtered) / (2 * turns);
    }
    double first = share(&whole, 0.5), second = share(&filtered, 0.5);
    row_beside("GET /api/things of 1,000 for a user who sees them by the environment, against the owner: median", "µs", 0,
               first, second, "≤ 1.2", second / first <= 1.2);
    row_beside("the same: answers a second", "", 0, whole_rate, filtered_rate, "–", -1);
    return 0;
}
