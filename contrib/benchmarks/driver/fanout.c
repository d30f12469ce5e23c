// setData to one thing that many listen to: how late it comes to them, how many a second, and whether in order.
#define _GNU_SOURCE
#include "measure.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 200, burst = 1000, turns = 2 };

struct listener {
    struct buffer input;
    int socket;
    long last;
};

struct result {
    struct sample delays;
    double deliveries_a_second;
    long disorder;
};

static int epoll;

// Reads until so many messages have come, and returns the moment of the last; `sent` is 0 when delays do not count.
static double collect(long wanted, double sent, struct result *result) {
    struct epoll_event events[256];
    double now = sent;
    while (wanted > 0) {
        int count = epoll_wait(epoll, events, 256, 20000);
        if (count <= 0) fail("%ld messages never came", wanted);
        for (int index = 0; index < count; index++) {
            struct listener *listener = events[index].data.ptr;
            if (fill(&listener->input, listener->socket) == 0) fail("the server drops a subscriber");
            now = now_us();
            size_t length;
            for (char *text; (text = next_frame(&listener->input, &length));) {
                char *found = memmem(text, length, "\"v\":", 4);
                if (!found) continue;
                long value = strtol(found + 4, NULL, 10);
                result->disorder += value != listener->last + 1;
                listener->last = value;
                if (sent > 0) add(&result->delays, now - sent);
                wanted--;
            }
        }
    }
    return now;
}

static void tell(int port, const char *thing, int count, struct result *result) {
    struct listener *listeners = calloc((size_t)count, sizeof *listeners);
    struct buffer input = {0}, output = {0};
    char text[160], bytes[200];
    epoll = epoll_create1(0);
    snprintf(text, sizeof text, "42[\"subscribe\",{\"thing\":\"%s\"}]", thing);
    for (int index = 0; index < count; index++) {
        struct listener *listener = &listeners[index];
        listener->socket = join(port, &listener->input);
        say(listener->socket, text);
        do_not_wait(listener->socket);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
        epoll_ctl(epoll, EPOLL_CTL_ADD, listener->socket, &event);
    }
    int sender = join(port, &input);
    usleep(500000);
    static const char form[] = "42[\"setData\",{\"thing\":\"%s\",\"key\":\"v\",\"value\":%d}]";
    for (int value = 1; value <= rounds; value++) {
        snprintf(text, sizeof text, form, thing, value);
        double sent = now_us();
        say(sender, text);
        collect(count, sent, result);
        usleep(2000);
    }
    for (int value = rounds + 1; value <= rounds + burst; value++) {
        snprintf(text, sizeof text, form, thing, value);
        append(&output, bytes, frame(bytes, text));
    }
    struct result crowd = {0};
    double begun = now_us();
    send_all(sender, output.bytes, output.end);
    double end = collect((long)count * burst, 0, &crowd);
    result->deliveries_a_second += (double)count * burst / ((end - begun) / 1e6) / turns;
    result->disorder += crowd.disorder;
    for (int index = 0; index < count; index++) close(listeners[index].socket), free(listeners[index].input.bytes);
    close(sender), close(epoll), free(listeners), free(input.bytes), free(output.bytes);
}

// The original's best figures of flare-protocol 14: deliveries a second, and the 95 % in milliseconds (its 99 % is higher).
static void measure(int port, int count, double rate, double slowest) {
    char hall[25], zone[25], thing[25], path[160], text[120];
    int connection = connect_to(port);
    create(connection, "/environments", "{\"name\":\"Crowd\",\"data\":{\"distance\":1}}", hall);
    snprintf(path, sizeof path, "/environments/%s/zones", hall);
    create(connection, path, "{\"name\":\"Zone\"}", zone);
    snprintf(path, sizeof path, "/environments/%s/zones/%s/things", hall, zone);
    create(connection, path, "{\"name\":\"Thing\",\"data\":{\"v\":0}}", thing);
    close(connection);
    struct result floors = {0}, ours = {0};
    int floor_port;
    pid_t floor = start_floor(&floor_port, "", 0);
    for (int turn = 0; turn < turns; turn++) {
        tell(floor_port, thing, count, &floors);
        tell(port, thing, count, &ours);
    }
    kill(floor, SIGKILL);
    waitpid(floor, NULL, 0);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s/data/v", thing);
    char *stored = request(port, "GET", path, NULL, NULL);
    snprintf(text, sizeof text, "setData heard by %d, one at a time: median", count);
    row(text, "µs", share(&floors.delays, 0.5), share(&ours.delays, 0.5), -1, 0);
    snprintf(text, sizeof text, "setData heard by %d, one at a time: 99 %%", count);
    row(text, "µs", share(&floors.delays, 0.99), share(&ours.delays, 0.99), slowest > 0 ? slowest * 1000 / 10 : -1, 0);
    snprintf(text, sizeof text, "setData heard by %d, %d at once: deliveries a second", count, burst);
    row(text, "", floors.deliveries_a_second, ours.deliveries_a_second, rate > 0 ? rate * 5 : -1, 1);
    snprintf(text, sizeof text, "setData heard by %d: out of order, or the last one not stored", count);
    row(text, "", 0, (double)ours.disorder + (atol(stored) != rounds + burst), 0, 0);
    free(stored);
}

int fanout(int port) {
    measure(port, 1, 2660, 2);
    measure(port, 10, 26000, 2.8);
    measure(port, 100, 109000, 6.9);
    measure(port, 1000, -1, -1);
    return 0;
}
