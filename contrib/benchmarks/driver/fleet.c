// Many daemons on one broker: all started at once, at rest, while they walk, and when the broker restarts.
//
// Each is a process of the program, with a state folder, a Flare server and a place of its own, so that what is measured is
// what a user has; nothing is shared but the machine. The broker keeps nothing over its restart, which is the most work.
#include "measure.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_nodes = 5000, most_seconds = 900 };

static int nodes, port;
static pid_t broker, *daemons;
static volatile int none;

// What the broker says of itself, once a second.
enum figure { received, sent, bytes_received, bytes_sent, retained, stored, figures };
static const char *figure_topics[figures] = {
    "$SYS/broker/messages/received", "$SYS/broker/messages/sent", "$SYS/broker/bytes/received", "$SYS/broker/bytes/sent",
    "$SYS/broker/retained messages/count", "$SYS/broker/store/messages/bytes"};
static double broker_says[figures];

// Which nodes are online, and when they came.
static char *online;
static int online_count;
static volatile int wanted_reached;
static int wanted_count;
static double came_from, last_came;
static int came_in[most_seconds];

// What is retained of one node, below its own topics.
static long kept_count, kept_bytes;
static double last_kept;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    for (int index = 0; index < figures; index++) {
        if (strcmp(message->topic, figure_topics[index])) continue;
        char text[32];
        int length = message->payloadlen < 31 ? message->payloadlen : 31;
        memcpy(text, message->payload, (size_t)length);
        text[length] = 0;
        broker_says[index] = atof(text);
        return;
    }
    int number;
    if (sscanf(message->topic, "trilateral/n%d/status", &number) != 1 || number < 0 || number >= nodes) return;
    int is_online = message->payloadlen == 6 && !memcmp(message->payload, "online", 6);
    if (is_online == online[number]) return;
    online[number] = (char)is_online;
    online_count += is_online ? 1 : -1;
    if (is_online) {
        last_came = now_us();
        int second = (int)((last_came - came_from) / 1e6);
        if (second >= 0 && second < most_seconds) came_in[second]++;
    }
    wanted_reached = online_count == wanted_count;
}

static void kept(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (!message->retain) return;
    kept_count++;
    kept_bytes += message->payloadlen;
    last_kept = now_us();
}

// The broker with this configuration, and a client that watches; it is tried until it answers.
static struct mosquitto *start_broker(const char *configuration) {
    broker = fork();
    if (broker == 0) {
        execlp("mosquitto", "mosquitto", "-c", configuration, (char *)NULL);
        _exit(127);
    }
    struct mosquitto *client = NULL;
    for (int attempt = 0; attempt < 1000 && !client; attempt++) {
        client = dial(port, heard);
        if (!client) usleep(5000);
    }
    if (!client) fail("the broker does not start");
    memset(broker_says, 0, sizeof broker_says);
    subscribe(client, "trilateral/+/status", 0);
    for (int index = 0; index < figures; index++) subscribe(client, figure_topics[index], 0);
    return client;
}

static void stop_broker(struct mosquitto *client) {
    mosquitto_destroy(client);
    kill(broker, SIGTERM);
    waitpid(broker, NULL, 0);
}

static void start_node(int number, const char *folder, char *program) {
    char state[512], log[512], name[32];
    snprintf(state, sizeof state, "%s/s%d", folder, number);
    snprintf(log, sizeof log, "%s/log%d", folder, number);
    snprintf(name, sizeof name, "n%d", number);
    daemons[number] = fork();
    if (daemons[number] < 0) fail("only %d processes can be started", number);
    if (daemons[number]) return;
    int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(open("/dev/null", O_RDWR), 0);
    dup2(output, 1);
    dup2(output, 2);
    setenv("TRILATERAL_MQTT_NODE", name, 1);
    setenv("TRILATERAL_DEVICE_NAME", name, 1);
    execl(program, program, "run", "--state", state, (char *)NULL);
    _exit(127);
}

// Begins to count who comes.
static void expect(int count) {
    memset(came_in, 0, sizeof came_in);
    memset(online, 0, (size_t)nodes);
    online_count = wanted_reached = 0;
    wanted_count = count;
    came_from = now_us();
}

static int busiest(void) {
    int most = 0;
    for (int second = 0; second < most_seconds; second++)
        if (came_in[second] > most) most = came_in[second];
    return most;
}

static void await_all(struct mosquitto *client, double seconds) {
    drive_until(client, now_us() + seconds * 1e6, &wanted_reached);
    if (!wanted_reached) fail("only %d of %d came within %.0f s", online_count, wanted_count, seconds);
}

static double sum_kb(const char *key) {
    double sum = 0;
    for (int index = 0; index < nodes; index++) {
        char path[64], line[128];
        snprintf(path, sizeof path, "/proc/%d/smaps_rollup", daemons[index]);
        FILE *file = fopen(path, "r");
        if (!file) fail("the daemon %d has ended", index);
        while (fgets(line, sizeof line, file))
            if (!strncmp(line, key, strlen(key))) sum += atof(line + strlen(key));
        fclose(file);
    }
    return sum;
}

static int descriptors(int pid) {
    char path[64];
    int count = -3;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    if (!folder) return 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static double all_processor_ns(void) {
    double sum = 0;
    for (int index = 0; index < nodes; index++) sum += processor_ns(daemons[index]);
    return sum;
}

// A moment of what is counted.
struct moment {
    double at, figures[figures], nodes_ns, broker_ns;
};
static struct moment moment(void) {
    struct moment moment = {.at = now_us(), .nodes_ns = all_processor_ns(), .broker_ns = processor_ns(broker)};
    memcpy(moment.figures, broker_says, sizeof broker_says);
    return moment;
}

static void row_text(const char *what, const char *text) {
    printf("| %s | %s |\n", what, text);
    fflush(stdout);
}
#define SAY(what, ...)                                 \
    do {                                               \
        char text[256];                                \
        snprintf(text, sizeof text, __VA_ARGS__);      \
        row_text(what, text);                          \
    } while (0)

// What the driver sent itself, `own` messages, is left out.
static void say_traffic(const char *what, struct moment before, struct moment after, double own) {
    double seconds = (after.at - before.at) / 1e6;
    double difference[figures];
    for (int index = 0; index < figures; index++) difference[index] = (after.figures[index] - before.figures[index]) / seconds;
    SAY(what, "%.0f packets/s (%.1f kB/s) to the broker, %.0f (%.1f kB/s) from it; nodes %.1f %% of a core, broker %.1f %%",
        difference[received] - own / seconds, difference[bytes_received] / 1000, difference[sent], difference[bytes_sent] / 1000,
        (after.nodes_ns - before.nodes_ns) / seconds / 1e7, (after.broker_ns - before.broker_ns) / seconds / 1e7);
}

// One position a second for each node, evenly.
static void walk(struct mosquitto *client, int seconds) {
    double begun = now_us();
    for (int second = 0; second < seconds; second++) {
        for (int index = 0; index < nodes; index++) {
            char topic[64], text[96];
            snprintf(topic, sizeof topic, "trilateral/n%d/device/set", index);
            snprintf(text, sizeof text, "{\"position\":{\"x\":%.1f,\"y\":%.1f}}", 1 + (second * 7 + index) % 90 * 0.1,
                     1 + (second * 3 + index) % 20 * 0.1);
            publish(client, topic, text, 0);
            drive_until(client, begun + (second + (double)(index + 1) / nodes) * 1e6, &none);
        }
    }
}

static void restart(struct mosquitto **client, const char *configuration, int pause) {
    stop_broker(*client);
    sleep((unsigned)pause);
    struct moment before = {.at = now_us(), .nodes_ns = all_processor_ns()};
    expect(nodes);
    *client = start_broker(configuration);
    await_all(*client, 300);
    double seconds = (last_came - came_from) / 1e6;
    int most = busiest();
    // What is published after that.
    drive_until(*client, now_us() + 20e6, &none);
    char what[96];
    snprintf(what, sizeof what, "broker away for %d s: all back", pause);
    SAY(what, "%.1f s after its start; %d in the busiest second; %.0f packets (%.1f MB) to it, %.0f (%.1f MB) from it; nodes %.1f s of processor time, broker %.1f s",
        seconds, most, broker_says[received], broker_says[bytes_received] / 1e6, broker_says[sent], broker_says[bytes_sent] / 1e6,
        (all_processor_ns() - before.nodes_ns) / 1e9, processor_ns(broker) / 1e9);
}

int fleet(int broker_port, const char *configuration, int count, const char *folder, int seconds, char *program) {
    if (count < 1 || count > most_nodes) fail("1 to %d nodes", most_nodes);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    (port = broker_port), (nodes = count);
    daemons = calloc((size_t)nodes, sizeof *daemons);
    online = calloc((size_t)nodes, 1);
    if (!daemons || !online) fail("no memory");
    struct mosquitto *client = start_broker(configuration);

    expect(nodes);
    for (int index = 0; index < nodes; index++) {
        start_node(index, folder, program);
        drive_until(client, now_us() + 1e3, &wanted_reached);
    }
    await_all(client, 600);
    double began = came_from;
    SAY("all started at once: until the last is online", "%.1f s", (last_came - began) / 1e6);
    // Until what the start needed is given back, and all is announced.
    drive_until(client, now_us() + settling_us + 10e6, &none);
    SAY("the start, with everything published and announced",
        "%.0f packets (%.1f MB) to the broker, %.0f (%.1f MB) from it; nodes %.1f s of processor time, broker %.1f s",
        broker_says[received], broker_says[bytes_received] / 1e6, broker_says[sent], broker_says[bytes_sent] / 1e6,
        all_processor_ns() / 1e9, processor_ns(broker) / 1e9);
    SAY("memory of a node", "%.1f MB (its share of what all use), %.1f MB anonymous; %d descriptors",
        sum_kb("Pss:") / nodes / 1024, sum_kb("Anonymous:") / nodes / 1024, descriptors(daemons[0]));
    SAY("memory of the broker", "%.1f MB resident", (double)status_kb(broker, "VmRSS") / 1024);

    struct mosquitto *reader = dial(port, kept);
    if (!reader) fail("no broker");
    last_kept = now_us();
    // Of one: of many a broker drops what a reader does not take in time.
    subscribe(reader, "trilateral/n0/#", 0);
    while (now_us() < last_kept + 2e6) drive_until(reader, now_us() + 2e5, &none);
    mosquitto_destroy(reader);
    SAY("retained by the broker, with what it says of itself",
        "%.0f messages, %.1f MB of payloads; of a node %.1f messages and %.1f kB, and of these %ld and %.1f kB below its own topics",
        broker_says[retained], broker_says[stored] / 1e6, broker_says[retained] / nodes, broker_says[stored] / nodes / 1000,
        kept_count, (double)kept_bytes / 1000);

    // The broker counts what it sent to the reader a second later.
    drive_until(client, now_us() + 3e6, &none);
    struct moment before = moment();
    drive_until(client, now_us() + seconds * 1e6, &none);
    say_traffic("at rest", before, moment(), 0);
    before = moment();
    walk(client, seconds);
    struct moment after = moment();
    char what[96];
    double rate = seconds * 1e6 / (after.at - before.at);
    snprintf(what, sizeof what, "while each gets a position a second (%.2f)", rate);
    say_traffic(what, before, after, (double)nodes * seconds);

    restart(&client, configuration, 0);
    restart(&client, configuration, 10);

    for (int index = 0; index < nodes; index++) kill(daemons[index], SIGTERM);
    double stopping = now_us();
    for (int index = 0; index < nodes; index++) waitpid(daemons[index], NULL, 0);
    SAY("all stopped at once: until the last has ended", "%.1f s", (now_us() - stopping) / 1e6);
    stop_broker(client);
    return 0;
}
