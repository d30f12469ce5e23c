// Look-ups and updates of a resolver beside those of a minimal one, by turns, 16 at once, with a million rows.
#define _GNU_SOURCE
#include "measure.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { at_once = 16, turns = 6 };
enum work { look_up, unchanged, changed };

static int rows;

// One side: a port, how many rows it has, and what it took, microseconds.
struct side {
    int port, rows;
    struct sample times;
    double seconds;
    size_t done;
};

struct worker {
    struct side *side;
    enum work work;
    double until;
    unsigned seed;
    struct sample times;
};

static int dial_port(int port) {
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (peer < 0 || connect(peer, (struct sockaddr *)&place, sizeof place)) fail("cannot connect to port %d", port);
    return peer;
}

static void serial_of(unsigned row, char *text, size_t room) {
    snprintf(text, room, "02:00:%02x:%02x:%02x:%02x", row >> 24 & 255, row >> 16 & 255, row >> 8 & 255, row & 255);
}

static atomic_uint next_address = 1;

// One exchange: greeting, message, and all until the server closes.
static void once(const struct side *side, enum work work, unsigned *seed) {
    unsigned row = (unsigned)rand_r(seed) % (unsigned)side->rows;
    char serial[32], message[256], heard[512];
    serial_of(row, serial, sizeof serial);
    unsigned other = atomic_fetch_add(&next_address, 1);
    int size = work == look_up ? snprintf(message, sizeof message, "{\"HRHomeStationsRequest\":[{\"StationDID\":\"%s\"}]}", serial)
               : work == unchanged
                   ? snprintf(message, sizeof message,
                              "{\"HRHomeStationUpdate\":{\"StationDID\":\"%s\",\"StationIP\":\"192.0.2.7\"}}", serial)
                   : snprintf(message, sizeof message,
                              "{\"HRHomeStationUpdate\":{\"StationDID\":\"changing-%s\",\"StationIP\":\"198.%u.%u.%u\"}}",
                              serial, 18 + (other >> 16 & 1), other >> 8 & 255, other & 255);
    int peer = dial_port(side->port);
    size_t got = 0;
    int is_sent = 0;
    for (;;) {
        ssize_t count = read(peer, heard + got, sizeof heard - 1 - got);
        if (count <= 0) break;
        got += (size_t)count;
        if (!is_sent && got >= 38) {
            is_sent = 1;
            if (write(peer, message, (size_t)size) != size) fail("cannot write");
        }
    }
    close(peer);
    heard[got] = 0;
    if (!is_sent || (work == look_up && !strstr(heard, "\"192.0.2.7\""))) fail("port %d answered: %s", side->port, heard);
}

static void *run(void *argument) {
    struct worker *worker = argument;
    for (;;) {
        double begun = now_us();
        if (begun >= worker->until) return NULL;
        once(worker->side, worker->work, &worker->seed);
        add(&worker->times, now_us() - begun);
    }
}

static void turn(struct side *side, enum work work, double seconds) {
    struct worker workers[at_once] = {0};
    pthread_t threads[at_once];
    double begun = now_us();
    for (int index = 0; index < at_once; index++) {
        workers[index] = (struct worker){.side = side, .work = work, .until = begun + seconds * 1e6, .seed = (unsigned)rand()};
        pthread_create(&threads[index], NULL, run, &workers[index]);
    }
    for (int index = 0; index < at_once; index++) {
        pthread_join(threads[index], NULL);
        for (size_t at = 0; at < workers[index].times.count; at++) add(&side->times, workers[index].times.values[at]);
        side->done += workers[index].times.count;
        free(workers[index].times.values);
    }
    side->seconds += (now_us() - begun) / 1e6;
}

static void compare(const char *what, enum work work, int floor_port, int port, double aim, double aim_99) {
    struct side sides[2] = {{.port = floor_port, .rows = rows}, {.port = port, .rows = rows}};
    for (int number = 0; number < turns; number++) turn(&sides[number % 2], work, 2);
    char text[120];
    double rates[2];
    for (int side = 0; side < 2; side++) rates[side] = (double)sides[side].done / sides[side].seconds;
    snprintf(text, sizeof text, "resolver: %s, 16 at once, %d rows; a second", what, rows);
    char ours[16];
    snprintf(ours, sizeof ours, ">= %.2f", aim);
    row_beside(text, "", 0, rates[0], rates[1], ours, rates[1] >= aim * rates[0]);
    if (aim_99 > 0) {
        snprintf(text, sizeof text, "resolver: %s, 99 %%", what);
        snprintf(ours, sizeof ours, "<= %.1f", aim_99);
        double low = share(&sides[0].times, 0.99), high = share(&sides[1].times, 0.99);
        row_beside(text, "µs", 0, low, high, ours, high <= aim_99 * low);
    }
    for (int side = 0; side < 2; side++) free(sides[side].times.values);
}

// Look-ups among all rows beside those of a second resolver with few, by turns.
static void compare_growth(int few, int few_port, int few_pid, int port, int pid) {
    struct side sides[2] = {{.port = few_port, .rows = few}, {.port = port, .rows = rows}};
    for (int number = 0; number < turns; number++) turn(&sides[number % 2], look_up, 2);
    char text[120];
    snprintf(text, sizeof text, "resolver: look-ups, median, %d rows beside %d", rows, few);
    double low = share(&sides[0].times, 0.5), high = share(&sides[1].times, 0.5);
    row_beside(text, "µs", 0, low, high, "<= 1.5", high <= 1.5 * low);
    snprintf(text, sizeof text, "resolver: more anonymous memory with %d rows than with %d", rows, few);
    row_below(text, "%.1f MB", (double)(status_kb(pid, "RssAnon") - status_kb(few_pid, "RssAnon")) / 1024, "< 5", 5);
    for (int side = 0; side < 2; side++) free(sides[side].times.values);
}

static void fill(const char *file) {
    sqlite3 *database;
    sqlite3_stmt *insert;
    if (sqlite3_open(file, &database) ||
        sqlite3_exec(database, "PRAGMA journal_mode=WAL; CREATE TABLE devices (ID TEXT PRIMARY KEY, IP TEXT); BEGIN", NULL,
                     NULL, NULL) ||
        sqlite3_prepare_v2(database, "INSERT INTO devices VALUES (?, '192.0.2.7')", -1, &insert, NULL))
        fail("%s: %s", file, sqlite3_errmsg(database));
    for (int row = 0; row < rows; row++) {
        char serial[32];
        serial_of((unsigned)row, serial, sizeof serial);
        sqlite3_bind_text(insert, 1, serial, -1, SQLITE_TRANSIENT);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (sqlite3_exec(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL)) fail("%s", sqlite3_errmsg(database));
    sqlite3_close(database);
}

static long long written(const char *file) {
    char wal[512];
    struct stat one, other;
    snprintf(wal, sizeof wal, "%s-wal", file);
    if (stat(file, &one)) fail("%s is gone", file);
    return (long long)one.st_size + (stat(wal, &other) ? 0 : (long long)other.st_size);
}

// directory fill ROWS FILE… | directory measure ROWS FLOOR_PORT PORT FILE PID FEW_ROWS FEW_PORT FEW_PID
int main(int count, char **words) {
    if (count < 4) fail("usage: directory fill ROWS FILE... | directory measure ROWS FLOOR_PORT PORT FILE PID FEW_ROWS FEW_PORT FEW_PID");
    rows = atoi(words[2]);
    if (rows <= 0) fail("no rows");
    if (!strcmp(words[1], "fill")) {
        for (int index = 3; index < count; index++) fill(words[index]);
        return 0;
    }
    if (count != 10) fail("measure needs ROWS FLOOR_PORT PORT FILE PID FEW_ROWS FEW_PORT FEW_PID");
    int floor_port = atoi(words[3]), port = atoi(words[4]), pid = atoi(words[6]);
    compare_growth(atoi(words[7]), atoi(words[8]), atoi(words[9]), port, pid);
    compare("look-ups", look_up, floor_port, port, 0.5, 3);
    long long before = written(words[5]);
    compare("unchanged updates", unchanged, floor_port, port, 0.5, 3);
    row_below("resolver: written by unchanged updates", "%.0f bytes", (double)(written(words[5]) - before), "0", 1);
    compare("changed updates", changed, floor_port, port, 0.25, 0);
    double memory = (double)status_kb(pid, "RssAnon") / 1024;
    int silent[1000];
    for (int index = 0; index < 1000; index++) silent[index] = dial_port(port);
    compare("look-ups beside 1,000 silent connections", look_up, floor_port, port, 0.5, 6);
    row_below("resolver: more anonymous memory with 1,000 silent connections", "%.1f MB",
              (double)status_kb(pid, "RssAnon") / 1024 - memory, "< 15", 15);
    for (int index = 0; index < 1000; index++) close(silent[index]);
    return 0;
}
