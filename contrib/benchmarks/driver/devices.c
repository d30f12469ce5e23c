// What further devices of a daemon cost: at rest, for a command on what one of them is near, and while all of them walk and
// are heard by eight receivers. The first place has one device, the second one many.
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { one, many, place_count };
enum { receivers = 8, most_devices = 256 };

// MARK: At rest

static double wakeups_a_second(int pid, int seconds) {
    struct wakeups wakeups = {0};
    read_wakeups(pid, &wakeups);
    long first = wakeups.sum;
    double begun = now_us();
    for (int second = 0; second < seconds; second++) {
        sleep(1);
        read_wakeups(pid, &wakeups);
    }
    return (double)(wakeups.sum - first) / ((now_us() - begun) / 1e6);
}

// Two daemons on the same place, of which the second one has so many devices more. Nobody hears any of them.
int devices_rest(int few_pid, int many_pid, int further, int seconds) {
    usleep((useconds_t)settling_us);
    double few = wakeups_a_second(few_pid, seconds), all = wakeups_a_second(many_pid, seconds);
    // After their connections have been at rest for a while.
    double few_kb = (double)status_kb(few_pid, "RssAnon"), many_kb = (double)status_kb(many_pid, "RssAnon");
    char text[160];
    snprintf(text, sizeof text, "idle, %d devices at rest more, against one: anonymous memory", further);
    row_beside(text, "MB", 1, few_kb / 1024, many_kb / 1024, "–", -1);
    row_below("the same, a device", "%.0f kB", (many_kb - few_kb) / further, "< 150 kB", 150);
    row_beside("the same: wake-ups", "/s", 1, few, all, "–", -1);
    // A connection to the broker says every 30 s that it is there, and waits for the answer.
    row_below("the same, a device", "%.3f /s", (all - few) / further, "< 0.15 /s", 0.15);
    return 0;
}

// MARK: Commands

int devices_commands(const struct place *places, int devices, int rounds) {
    struct contender sides[] = {
        {.place = &places[one], .root = "trilateral/dev-1", .things = nearby_lamp, .qos = 1, .awaits_answer = 1},
        {.place = &places[many], .root = "trilateral/dev-1", .things = nearby_lamp, .qos = 1, .awaits_answer = 1},
    };
    for (int index = 0; index < place_count; index++) go_near(places[index].port, sides[index].root);
    take_turns(sides, place_count, 10, rounds);
    char text[160];
    snprintf(text, sizeof text, "command on a device's nearby to its answer, with %d devices against one", devices);
    compare_contenders(text, &sides[one], &sides[many], rounds, 1.1, 1.1);
    return 0;
}

// MARK: Walking

// The place of `trilateral-bench model`: rooms of ten lamps each, ten rooms in a row, and every 125th lamp is a receiver.
static const double room_width = 10, room_height = 4;
enum { columns = 10, first_receiver = 62, things_of_receiver = 125, lamps_of_room = 10 };

struct point {
    double x, y;
};

static struct point receiver_at(int number) {
    int lamp = first_receiver + things_of_receiver * number, room = lamp / lamps_of_room, index = lamp % lamps_of_room;
    return (struct point){room % columns * room_width + 1 + index % 5 * 2, room / columns * room_height + 1 + index / 5 * 2};
}

// Each device walks on an ellipse of its own, at the pace of a person.
static struct point device_at(int device, double seconds) {
    double wide = 10 + device % 8 * 4.5, deep = 3 + device / 8 % 8 * 1.8, angle = 1.2 / wide * seconds + device;
    return (struct point){50 + wide * cos(angle), 20 + deep * sin(angle)};
}

// Of each device: when its last report was sent; 0 once a position has followed.
static double sent_at[most_devices];
static struct sample delays;
static long positions;
static int counts;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    int device = 0;
    if (message->retain || sscanf(message->topic, "trilateral/dev-%d/", &device) != 1) return;
    if (device < 1 || device > most_devices || !counts) return;
    positions++;
    // A position follows the first report after the second that it is for.
    if (sent_at[device - 1] > 0) add(&delays, now_us() - sent_at[device - 1]);
}

static double noise(void) { return (double)(rand() % 600 - 300) / 100; }

static void report(struct mosquitto *client, int device, int receiver, double seconds) {
    struct point here = device_at(device, seconds), there = receiver_at(receiver);
    double metres = hypot(hypot(here.x - there.x, here.y - there.y), 1), level = -59 - 22 * log10(metres) + noise();
    char topic[80], text[240];
    snprintf(topic, sizeof topic, "espresense/devices/bench:%d/r%d", device + 1, receiver + 1);
    snprintf(text, sizeof text,
             "{\"mac\":\"aabbcc%06x\",\"id\":\"bench:%d\",\"rssi@1m\":-59,\"rssi\":%.2f,\"raw\":%.2f,\"distance\":%.2f,"
             "\"var\":0.52,\"int\":180}",
             (unsigned)device, device + 1, level, level, metres);
    publish(client, topic, text, 0);
    sent_at[device] = now_us();
}

struct walk {
    // Percent of a core.
    double processor;
    double positions, median_ms, late_ms;
};

// Each of the first devices is heard by each receiver once a second; the reports of a second are evenly spread.
static struct walk walk(const struct place *place, int devices, int seconds) {
    static const int warm_up = 8;
    struct mosquitto *client = dial(place->port, heard);
    if (!client) fail("no broker on port %d", place->port);
    subscribe(client, "trilateral/+/device/position", 0);
    memset(sent_at, 0, sizeof sent_at);
    delays.count = 0;
    positions = counts = 0;
    int rate = devices * receivers;
    double begun = now_us(), measured = 0, before = 0;
    for (long number = 0; number < (long)rate * (warm_up + seconds); number++) {
        if (number == (long)rate * warm_up) {
            counts = 1;
            measured = now_us();
            before = processor_ns(place->pid);
        }
        double seconds_in = (double)number / rate;
        drive_until(client, begun + seconds_in * 1e6, NULL);
        int turn = (int)(number % rate);
        report(client, turn % devices, turn / devices, seconds_in);
    }
    drive_until(client, begun + (warm_up + seconds) * 1e6, NULL);
    double passed = now_us() - measured;
    struct walk result = {
        .processor = (processor_ns(place->pid) - before) / (passed * 1000) * 100,
        .positions = (double)positions / (passed / 1e6),
        .median_ms = share(&delays, 0.5) / 1000,
        .late_ms = share(&delays, 0.95) / 1000,
    };
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    if (positions == 0) fail("no position of any device that receivers hear");
    return result;
}

int devices_walk(const struct place *places, int devices, int seconds) {
    if (devices > most_devices) fail("more than %d devices", most_devices);
    struct walk alone = walk(&places[one], 1, seconds), all = walk(&places[many], devices, seconds);
    char text[200];
    row_below("a device that walks and is heard by 8 receivers once a second: processor", "%.2f %% of a core",
              alone.processor, "–", 0);
    snprintf(text, sizeof text, "%d devices that walk and are heard by 8 receivers once a second: processor", devices);
    row_below(text, "%.2f %% of a core", all.processor, "< 15 %", 15);
    row_below("the same, a device", "%.3f %% of a core", all.processor / devices, "–", 0);
    printf("| the same: positions published a second | – | %.1f | – | ≥ %.1f | %s |\n", all.positions, devices * 0.95,
           all.positions >= devices * 0.95 ? "yes" : "**no**");
    snprintf(text, sizeof text, "report sent → position received, one of %d devices against one alone: median", devices);
    row_beside(text, "ms", 2, alone.median_ms, all.median_ms, "≤ 1.50", all.median_ms <= 1.5 * alone.median_ms);
    row_beside("the same: 95 %", "ms", 2, alone.late_ms, all.late_ms, "≤ 2.00", all.late_ms <= 2 * alone.late_ms);
    return 0;
}
