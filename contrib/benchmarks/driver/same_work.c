// The same work as the daemon's for a command, and nothing else: reads the JSON on `trilateral/plain/things/<t>/set`
// (brightness and tx), commits the thing's row to SQLite, and publishes the five messages that the daemon publishes for a new brightness,
// with topics and payloads of the same length, the same QoS and the same retain flags.
//
// The place is that of `trilateral-bench model COUNT`: rooms of ten lamps each.
#include "measure.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define ROOT "trilateral/plain"
#define DATA                                                                                      \
    "{\"brightness\":%.4f,\"color\":\"orange\",\"minor\":%d,\"on\":true,"                         \
    "\"options\":[\"red\",\"orange\",\"yellow\",\"green\",\"blue\",\"purple\"]}"

enum { lamps_of_room = 10, brightest = 255, first_brightness = 153 };

typedef struct {
    char text[32];
} timestamp;

typedef struct {
    int number, brightness;
    timestamp created;
} lamp;

static lamp *lamps;
static int count, events;
static sqlite3 *database;
static sqlite3_stmt *update;
static volatile sig_atomic_t is_ended;

static void end(int signal) {
    (void)signal;
    is_ended = 1;
}

// MARK: The database

static void expect(int code, int expected, const char *what) {
    if (code != expected) fail("%s: %s", what, sqlite3_errmsg(database));
}

static void execute(const char *sql) { expect(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, sql); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    expect(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK, sql);
    return statement;
}

static timestamp now(void) {
    struct timeval time;
    struct tm parts;
    timestamp stamp;
    gettimeofday(&time, NULL);
    gmtime_r(&time.tv_sec, &parts);
    size_t length = strftime(stamp.text, sizeof stamp.text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(stamp.text + length, sizeof stamp.text - length, ".%03dZ", (int)(time.tv_usec / 1000 % 1000));
    return stamp;
}

static int room(const lamp *lamp) { return (lamp->number - 1) / lamps_of_room; }

static double level(int brightness) { return (double)brightness / brightest; }

// Writes the lamp's document, as the daemon stores it, with one of the statements that take document and sequence.
static void write_row(sqlite3_stmt *statement, const lamp *lamp, timestamp modified) {
    char document[512];
    int corner = (lamp->number - 1) % lamps_of_room;
    int length = snprintf(
        document, sizeof document,
        "{\"__v\":0,\"_id\":\"000000004c616d70%08x\",\"actions\":[],\"created\":\"%s\",\"data\":" DATA
        ",\"description\":\"A lamp with colours\",\"environment\":\"0000000042656e6300000000\",\"modified\":\"%s\","
        "\"name\":\"Lamp %d\",\"position\":{\"x\":%d,\"y\":%d,\"z\":1},\"zone\":\"00000000526f6f6d%08x\"}",
        lamp->number - 1, lamp->created.text, level(lamp->brightness), lamp->number, modified.text, lamp->number,
        1 + corner % 5 * 2, 1 + corner / 5 * 2, room(lamp)
    );
    expect(sqlite3_bind_text(statement, 1, document, length, SQLITE_STATIC), SQLITE_OK, "cannot bind a document");
    expect(sqlite3_bind_int(statement, 2, lamp->number), SQLITE_OK, "cannot bind a sequence");
    expect(sqlite3_step(statement), SQLITE_DONE, "cannot write a row");
    expect(sqlite3_reset(statement), SQLITE_OK, "cannot write a row");
}

// The table and the settings are those of the daemon's database.
static void open_database(const char *path) {
    expect(sqlite3_open(path, &database), SQLITE_OK, path);
    execute("PRAGMA locking_mode = EXCLUSIVE");
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = NORMAL");
    execute("PRAGMA journal_size_limit = 16777216");
    execute(
        "CREATE TABLE thing (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL) STRICT"
    );
    sqlite3_stmt *insert = prepare("INSERT INTO thing (document, sequence, id) VALUES (?1, ?2, 'lamp-' || ?2)");
    execute("BEGIN");
    for (int number = 1; number <= count; number++) {
        lamps[number] = (lamp){.number = number, .brightness = first_brightness, .created = now()};
        write_row(insert, &lamps[number], lamps[number].created);
    }
    execute("COMMIT");
    sqlite3_finalize(insert);
    update = prepare("UPDATE thing SET document = ?1 WHERE sequence = ?2");
}

static void close_database(void) {
    sqlite3_finalize(update);
    expect(sqlite3_close(database), SQLITE_OK, "cannot close the database");
}

// MARK: Commands

static const char *after_spaces(const char *text) { return text + strspn(text, " \t\r\n"); }

typedef struct {
    // 0 when there is none.
    int brightness, tx;
} command;

// Reads `{"brightness":N,"tx":N}`, in any order and with spaces anywhere; false when the text is anything else.
static bool read_command(const char *text, command *found) {
    *found = (command){0};
    text = after_spaces(text);
    if (*text++ != '{') return false;
    for (;;) {
        static const char brightness[] = "\"brightness\"", tx[] = "\"tx\"";
        text = after_spaces(text);
        bool is_brightness = !strncmp(text, brightness, strlen(brightness));
        if (!is_brightness && strncmp(text, tx, strlen(tx))) return false;
        text = after_spaces(text + strlen(is_brightness ? brightness : tx));
        if (*text++ != ':') return false;
        char *rest;
        long value = strtol(text, &rest, 10);
        if (rest == text || value < 1 || value > (is_brightness ? brightest : 1000000000)) return false;
        *(is_brightness ? &found->brightness : &found->tx) = (int)value;
        text = after_spaces(rest);
        if (*text == '}') return found->brightness && !*after_spaces(text + 1);
        if (*text++ != ',') return false;
    }
}

// The lamp of `ROOT/things/lamp-N/set`.
static lamp *lamp_of(const char *topic) {
    static const char before[] = ROOT "/things/lamp-";
    if (strncmp(topic, before, strlen(before))) return NULL;
    char *rest;
    long number = strtol(topic + strlen(before), &rest, 10);
    return number >= 1 && number <= count && !strcmp(rest, "/set") ? &lamps[number] : NULL;
}

__attribute__((format(printf, 4, 5))) static void
send(struct mosquitto *client, const char *topic, bool is_retained, const char *format, ...) {
    char payload[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(payload, sizeof payload, format, arguments);
    va_end(arguments);
    int code = mosquitto_publish(client, NULL, topic, length, payload, 1, is_retained);
    if (code != MOSQ_ERR_SUCCESS) fail("cannot publish to %s: %s", topic, mosquitto_strerror(code));
}

static void publish_state(struct mosquitto *client, const lamp *lamp, timestamp time) {
    char topic[128];
    snprintf(topic, sizeof topic, ROOT "/things/lamp-%d", lamp->number);
    send(
        client, topic, true,
        "{\"actions\":[\"on\",\"off\",\"nextColor\",\"previousColor\",\"lighter\",\"darker\"],\"brightness\":%d,"
        "\"color\":{\"b\":0,\"g\":165,\"r\":255},\"color_mode\":\"rgb\",\"color_name\":\"orange\","
        "\"description\":\"A lamp with colours\",\"id\":\"000000004c616d70%08x\",\"name\":\"Lamp %d\","
        "\"palette\":[\"red\",\"orange\",\"yellow\",\"green\",\"blue\",\"purple\"],"
        "\"settable\":[\"state\",\"brightness\",\"level\",\"color\"],\"slug\":\"lamp-%d\",\"state\":\"ON\","
        "\"ts\":\"%s\",\"zone\":\"room-%d\"}",
        lamp->brightness, lamp->number - 1, lamp->number, lamp->number, time.text, room(lamp) + 1
    );
}

static void publish_data(struct mosquitto *client, const lamp *lamp) {
    char topic[128];
    snprintf(topic, sizeof topic, ROOT "/things/lamp-%d/data", lamp->number);
    send(client, topic, true, DATA, level(lamp->brightness), lamp->number);
}

static void publish_lights(struct mosquitto *client, const lamp *changed) {
    char topic[128];
    int sum = 0, first = room(changed) * lamps_of_room + 1, lights = 0;
    for (int number = first; number < first + lamps_of_room && number <= count; number++, lights++)
        sum += lamps[number].brightness;
    snprintf(topic, sizeof topic, ROOT "/zones/room-%d/lights", room(changed) + 1);
    send(
        client, topic, true,
        "{\"brightness\":%d,\"color\":{\"b\":0,\"g\":165,\"r\":255},\"color_mode\":\"rgb\",\"lights\":%d,"
        "\"on\":%d,\"state\":\"ON\"}",
        sum / lights, lights, lights
    );
}

static void publish_event(struct mosquitto *client, const lamp *lamp, int before, int tx, timestamp time) {
    send(
        client, ROOT "/event/thing", false,
        "{\"after\":{\"brightness\":%.4f},\"before\":{\"brightness\":%.4f},\"cause\":{\"source\":\"command\",\"tx\":%d},"
        "\"changed\":[\"brightness\"],\"epoch\":\"01a2055d49737056\",\"event_type\":\"changed\","
        "\"id\":\"000000004c616d70%08x\",\"name\":\"Lamp %d\",\"seq\":%d,\"slug\":\"lamp-%d\",\"ts\":\"%s\"}",
        level(lamp->brightness), level(before), tx, lamp->number - 1, lamp->number, ++events, lamp->number, time.text
    );
}

static void publish_reply(struct mosquitto *client, const lamp *lamp, int tx) {
    send(
        client, ROOT "/response/set", false,
        "{\"accepted\":{\"brightness\":%d},\"status\":\"ok\",\"target\":{\"kind\":\"thing\",\"slug\":\"lamp-%d\"},\"tx\":%d}",
        lamp->brightness, lamp->number, tx
    );
}

static void on_message(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)object;
    lamp *lamp = lamp_of(message->topic);
    // The library ends every payload with a zero byte.
    const char *text = message->payload ? message->payload : "";
    command command;
    if (!lamp || !read_command(text, &command))
        fail("%s %s is no command; send {\"brightness\":1 to 255,\"tx\":NUMBER}", message->topic, text);
    int before = lamp->brightness;
    timestamp time = now();
    lamp->brightness = command.brightness;
    write_row(update, lamp, time);
    publish_state(client, lamp, time);
    publish_data(client, lamp);
    publish_lights(client, lamp);
    publish_event(client, lamp, before, command.tx, time);
    publish_reply(client, lamp, command.tx);
}

int main(int words, char **arguments) {
    if (words != 4 || (count = atoi(arguments[3])) < 1)
        return fputs("usage: same-work PORT DATABASE THINGS\n", stderr), 64;
    struct sigaction ending = {.sa_handler = end};
    sigaction(SIGTERM, &ending, NULL);
    sigaction(SIGINT, &ending, NULL);
    if (!(lamps = calloc((size_t)count + 1, sizeof *lamps))) fail("no memory for %d things", count);
    open_database(arguments[2]);
    mosquitto_lib_init();
    int port = atoi(arguments[1]);
    struct mosquitto *client = dial(port, on_message);
    if (!client) fail("no broker on port %d", port);
    subscribe(client, ROOT "/things/+/set", 1);
    while (!is_ended) {
        // Returns after a signal; one that came just before is seen after a second.
        int code = mosquitto_loop(client, 1000, 1);
        if (code != MOSQ_ERR_SUCCESS && !is_ended) fail("the link to the broker ended: %s", mosquitto_strerror(code));
    }
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    mosquitto_lib_cleanup();
    close_database();
    free(lamps);
    return 0;
}
