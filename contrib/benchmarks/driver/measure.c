#include "measure.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static volatile int accepted;

static void on_connect(struct mosquitto *client, void *object, int code) {
    (void)client, (void)object;
    accepted = code == 0 ? 1 : -1;
}

struct mosquitto *dial(int port, void (*heard)(struct mosquitto *, void *, const struct mosquitto_message *)) {
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    if (!client) fail("no memory for a client");
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65535);
    mosquitto_connect_callback_set(client, on_connect);
    if (heard) mosquitto_message_callback_set(client, heard);
    accepted = 0;
    if (mosquitto_connect(client, "127.0.0.1", port, 300) != MOSQ_ERR_SUCCESS) {
        mosquitto_destroy(client);
        return NULL;
    }
    drive_until(client, now_us() + 5e6, &accepted);
    if (accepted != 1) fail("the broker on port %d does not accept a client", port);
    return client;
}

static volatile int granted;

static void on_subscribe(struct mosquitto *client, void *object, int id, int count, const int *qos) {
    (void)client, (void)object, (void)id, (void)count, (void)qos;
    granted = 1;
}

void subscribe(struct mosquitto *client, const char *topic, int qos) {
    granted = 0;
    mosquitto_subscribe_callback_set(client, on_subscribe);
    if (mosquitto_subscribe(client, NULL, topic, qos) != MOSQ_ERR_SUCCESS) fail("cannot subscribe to %s", topic);
    drive_until(client, now_us() + 5e6, &granted);
    if (!granted) fail("no answer to the subscription to %s", topic);
}

void publish(struct mosquitto *client, const char *topic, const char *text, int qos) {
    int code = mosquitto_publish(client, NULL, topic, (int)strlen(text), text, qos, false);
    if (code != MOSQ_ERR_SUCCESS) fail("cannot publish to %s: %s", topic, mosquitto_strerror(code));
}

void drive_until(struct mosquitto *client, double moment_us, const volatile int *flag) {
    while (!flag || !*flag) {
        double rest = moment_us - now_us();
        if (rest <= 0) return;
        // Milliseconds are all that the library's loop can wait; rounded up, so as not to spin.
        int code = mosquitto_loop(client, (int)(rest / 1000) + 1, 1);
        if (code != MOSQ_ERR_SUCCESS) fail("the link to the broker ended: %s", mosquitto_strerror(code));
    }
}

void add(struct sample *sample, double value) {
    if (sample->count == sample->room) {
        sample->room = sample->room ? sample->room * 2 : 1024;
        sample->values = realloc(sample->values, sample->room * sizeof *sample->values);
        if (!sample->values) fail("no memory for a sample");
    }
    sample->values[sample->count++] = value;
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

double share(struct sample *sample, double part) {
    if (sample->count == 0) return 0;
    qsort(sample->values, sample->count, sizeof *sample->values, ascending);
    size_t index = (size_t)(part * (double)sample->count);
    return sample->values[index < sample->count ? index : sample->count - 1];
}

// A number of a file such as /proc/<pid>/status; 0 when there is none, or the file is gone.
static long status_number(const char *path, const char *key) {
    char line[256];
    long value = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':') value = atol(line + strlen(key) + 1);
    fclose(file);
    return value;
}

long status_kb(int pid, const char *key) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (access(path, R_OK) != 0) fail("there is no process %d", pid);
    return status_number(path, key);
}

// What a thread had when it was last read; 0 for one that is new.
static long *seen_of(struct wakeups *wakeups, int thread) {
    for (int index = 0; index < wakeups->count; index++)
        if (wakeups->threads[index].thread == thread) return &wakeups->threads[index].seen;
    int limit = sizeof wakeups->threads / sizeof *wakeups->threads;
    if (wakeups->count == limit) fail("more than %d threads", limit);
    wakeups->threads[wakeups->count].thread = thread;
    wakeups->threads[wakeups->count].seen = 0;
    return &wakeups->threads[wakeups->count++].seen;
}

void read_wakeups(int pid, struct wakeups *wakeups) {
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (!threads) fail("there is no process %d", pid);
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", pid, thread->d_name);
        long count = status_number(path, "voluntary_ctxt_switches"), *seen = seen_of(wakeups, atoi(thread->d_name));
        if (count > *seen) {
            wakeups->sum += count - *seen;
            *seen = count;
        }
    }
    closedir(threads);
}

void row_ratio(const char *what, const char *unit, double floor, double ours, double aim) {
    char aim_text[32];
    snprintf(aim_text, sizeof aim_text, "≤ %.1f", aim);
    row_beside(what, unit, 0, floor, ours, aim_text, floor > 0 && ours > 0 && ours / floor <= aim);
}

void row_beside(const char *what, const char *unit, int digits, double other, double ours, const char *aim, int met) {
    printf("| %s | %.*f %s | %.*f %s | %.2f | %s | %s |\n", what, digits, other, unit, digits, ours, unit,
           other > 0 ? ours / other : 0, aim, met < 0 ? "–" : met ? "yes" : "**no**");
    fflush(stdout);
}

void row_below(const char *what, const char *format, double ours, const char *aim_text, double aim) {
    char text[64];
    snprintf(text, sizeof text, format, ours);
    printf("| %s | – | %s | – | %s | %s |\n", what, text, aim_text, aim <= 0 ? "–" : ours < aim ? "yes" : "**no**");
    fflush(stdout);
}

double processor_ns(int pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) fail("there is no process %d", pid);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double processor_share(struct mosquitto *client, int pid, int seconds) {
    double before = processor_ns(pid), begun = now_us();
    drive_until(client, begun + seconds * 1e6, NULL);
    return (processor_ns(pid) - before) / ((now_us() - begun) * 1000) * 100;
}
