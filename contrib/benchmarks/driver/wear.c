// What the daemon writes to its disk, of which a memory card bears only so much: while nothing happens, while things report,
// for a command, and while somebody walks. As `trilateral-bench bindings` makes it, every second thing of the place reports.
#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

// A card of 8 GB of which each cell can be written 1,000 times bears 8 TB. Cards write several times what they are given,
// since they clear large blocks for small pieces, and the file system has a journal: eight times, we say. That leaves 1 TB
// for ten years, or 11.4 MB an hour for everything that the machine does. Half of it is ours at most.
static const double busy_mb = 5.7, walking_mb = 1, idle_mb = 0.2;
// A thousand commands a day are 1 MB an hour then.
static const double command_kb = 25;

// Between the states of a thing, and between commands: each is a transaction of its own.
static const double report_us = 5e6, command_us = 1e6;
enum { commands = 60 };
// The longest that readings wait to be stored, and what is still written of what happened before.
static const double flush_us = 62e6;

static double written_mb(int pid) {
    char path[64], line[128];
    double bytes = -1;
    snprintf(path, sizeof path, "/proc/%d/io", pid);
    FILE *file = fopen(path, "r");
    if (!file) fail("%s cannot be read: measure as the user of the daemon", path);
    while (fgets(line, sizeof line, file)) sscanf(line, "write_bytes: %lf", &bytes);
    fclose(file);
    if (bytes < 0) fail("%s does not say what was written", path);
    return bytes / 1e6;
}

// The system counts nothing of what is kept in memory.
static void require_disk(const char *folder) {
    struct statfs system;
    // Source: statfs(2), TMPFS_MAGIC and RAMFS_MAGIC.
    if (statfs(folder, &system) != 0 || system.f_type == 0x01021994 || (unsigned long)system.f_type == 0x858458f6)
        fail("%s is in memory: what is written cannot be measured there; set TMPDIR to a folder on a disk", folder);
}

static void heard_error(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    fail("%s: %.*s", message->topic, message->payloadlen, (const char *)message->payload);
}

static void report(struct mosquitto *client, const char *root, int bindings, long number) {
    char topic[160], text[160];
    // The even ones are those that report.
    long thing = 2 * (number % bindings + 1), round = number / bindings;
    snprintf(topic, sizeof topic, "%s/edge/v-%ld/state", root, thing);
    snprintf(text, sizeof text, "{\"temperature\":%.1f,\"humidity\":%.1f,\"open\":%s}", 18 + (double)((thing + round) % 60) / 10,
             40 + (double)((thing + 3 * round) % 200) / 10, round % 2 ? "true" : "false");
    publish(client, topic, text, 1);
}

// What is written in an hour, measured for so many seconds.
static double rate(struct mosquitto *client, const char *root, int seconds, int pid, int bindings) {
    double begun = now_us(), before = 0, from = 0, end = begun + flush_us + seconds * 1e6;
    long reports = 0;
    for (double now = begun; now < end; now = now_us()) {
        // The first states are not yet what there is from then on.
        if (from == 0 && now - begun >= flush_us) (from = now, before = written_mb(pid));
        if (bindings && now - begun >= (double)reports * report_us / bindings) report(client, root, bindings, reports++);
        drive_until(client, now + 20e3, NULL);
    }
    return (written_mb(pid) - before) / (now_us() - from) * 3600e6;
}

// Of lamps that neither report nor are bound, and that no rule looks at: those are the first of four each.
static double written_for_a_command(struct mosquitto *client, const char *root, int things, int pid) {
    char topic[160], text[160];
    double before = written_mb(pid);
    for (int number = 0; number < commands; number++) {
        snprintf(topic, sizeof topic, "%s/things/lamp-%d/set", root, 4 * (number % (things / 4)) + 1);
        snprintf(text, sizeof text, "{\"brightness\":%d}", 10 + number);
        publish(client, topic, text, 1);
        drive_until(client, now_us() + command_us, NULL);
    }
    return (written_mb(pid) - before) * 1e3 / commands;
}

int wear(int port, const char *root, int things, int seconds, int pid, const char *state) {
    char topic[160], text[160];
    require_disk(state);
    struct mosquitto *client = dial(port, heard_error);
    if (!client) fail("no broker on port %d", port);
    if (things == 0) {
        row_below("written while somebody walks", "%.2f MB an hour", rate(client, root, seconds, pid, 0), "< 1 MB", walking_mb);
        return 0;
    }
    snprintf(topic, sizeof topic, "%s/edge/+/error", root);
    subscribe(client, topic, 1);
    row_below("written while nothing happens", "%.2f MB an hour", rate(client, root, seconds, pid, 0), "< 0.2 MB", idle_mb);
    snprintf(text, sizeof text, "the same while %d things report every %.0f s, with history and rules", things / 2, report_us / 1e6);
    row_below(text, "%.2f MB an hour", rate(client, root, seconds, pid, things / 2), "< 5.7 MB", busy_mb);
    drive_until(client, now_us() + flush_us, NULL);
    row_below("written for a command", "%.1f kB", written_for_a_command(client, root, things, pid), "< 25 kB", command_kb);
    return 0;
}
