// The same commands, moves and requests in each run, with which a daemon is driven whose instructions are counted. Each
// waits for its answer and then a while, so that what a machine's speed decides is alike: what is limited in time is
// limited in none of them, or in each.
#include "measure.h"
#include "wire.h"

#include <stdio.h>
#include <string.h>

static const double pause_us = 60e3, rest_us = 1.5e6;
enum { lamps_of_room = 10, columns = 10 };

static char awaited[32];
static volatile int has_come;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (!message->payload || !strstr(message->payload, awaited)) return;
    if (!strstr(message->payload, "\"status\":\"ok\"")) fail("a command was refused: %s", (char *)message->payload);
    has_come = 1;
}

// The lamp of a step, from 0: in another room each time, and in the same one again only after all others.
static int lamp_of(int step, int things) {
    int rooms = things / lamps_of_room;
    return step % rooms * lamps_of_room + step / rooms % lamps_of_room;
}

static int send_each(int port, const char *root, int things, int first, int count,
                     void (*write)(int step, int things, char *topic, char *text)) {
    char topic[200], end[100], text[200];
    struct mosquitto *client = dial(port, heard);
    if (!client) fail("no broker on port %d", port);
    snprintf(topic, sizeof topic, "%s/response/set", root);
    subscribe(client, topic, 1);
    for (int step = first; step < first + count; step++) {
        write(step, things, end, text);
        snprintf(topic, sizeof topic, "%s/%s", root, end);
        snprintf(awaited, sizeof awaited, "\"tx\":%d}", step + 1);
        has_come = 0;
        publish(client, topic, text, 1);
        drive_until(client, now_us() + 20e6, &has_come);
        if (!has_come) fail("no answer to %s %s", topic, text);
        drive_until(client, now_us() + pause_us, NULL);
    }
    drive_until(client, now_us() + rest_us, NULL);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return 0;
}

static void write_command(int step, int things, char *topic, char *text) {
    sprintf(topic, "things/lamp-%d/set", lamp_of(step, things) + 1);
    sprintf(text, "{\"brightness\":%d,\"tx\":%d}", 2 + step * 7 % 150, step + 1);
}

// Of a lamp that a rule looks at, as `trilateral-bench rules` makes them for counting: of the second half of a room.
static void write_watched(int step, int things, char *topic, char *text) {
    write_command(step, things, topic, text);
    sprintf(topic, "things/lamp-%d/set", lamp_of(step, things) + lamps_of_room / 2 + 1);
}

static void write_move(int step, int things, char *topic, char *text) {
    int lamp = lamp_of(step, things), room = lamp / lamps_of_room, corner = lamp % lamps_of_room;
    strcpy(topic, "device/set");
    // Where `trilateral-bench model` puts the lamp.
    sprintf(text, "{\"position\":{\"x\":%d,\"y\":%d,\"z\":1},\"tx\":%d}", room % columns * 10 + 1 + corner % 5 * 2,
            room / columns * 4 + 1 + corner / 5 * 2, step + 1);
}

int send_commands(int port, const char *root, int things, int first, int count) {
    return send_each(port, root, things, first, count, write_command);
}

int send_watched(int port, const char *root, int things, int first, int count) {
    return send_each(port, root, things, first, count, write_watched);
}

int send_moves(int port, const char *root, int things, int first, int count) {
    return send_each(port, root, things, first, count, write_move);
}

// What is in each room after the other, asked for on one connection.
int send_lists(int port, int things, int first, int count) {
    struct buffer input = {0};
    int connection = connect_to(port);
    for (int step = first; step < first + count; step++) {
        char text[300];
        int length = snprintf(text, sizeof text,
                              "GET /environments/0000000042656e6300000000/zones/00000000526f6f6d%08x/things HTTP/1.1\r\n"
                              "Host: 127.0.0.1\r\n\r\n", step % (things / lamps_of_room));
        send_all(connection, text, (size_t)length);
        size_t body, whole;
        while (!(whole = http_message(&input, &body)))
            if (fill(&input, connection) <= 0) fail("no answer to %s", text);
        if (strncmp(input.bytes + input.start, "HTTP/1.1 200", 12)) fail("%s: %s", text, input.bytes + input.start);
        input.start += whole;
    }
    return 0;
}
