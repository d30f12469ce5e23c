/* A lamp with a thermometer that has an owner in Trilateral: an example for makers of things, with libmosquitto.
   See README.md, and contrib/contract/bindings.md, "The thing at the edge". */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <math.h>
#include <mosquitto.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 500, LONGEST_LIST = 61440, REMEMBERED = 32, DAY = 86400000 };

static const char *base, *vendor, *secret;     /* who it is */
static char broker[300];                       /* host and port, for messages */
static int is_on = 1;                          /* what can be set, and what a state tells */
static double brightness = 1;
static char color[32] = "white";               /* a name of CSS, or #rrggbb */
static struct { int64_t when; char state[120]; } kept[KEPT]; /* by the steady clock, the oldest first */
static int count, sending, sent_as;            /* kept states, how many are under way, and in which message */
static int64_t acknowledged, pause_until;      /* when the broker had them; nothing is uploaded before */
static char seen[REMEMBERED][201];             /* the commands that it had */
static const char *parts_sent[64];             /* by the last digits of their numbers: what the broker answers to */
static int next_seen, is_linked, is_onboarded;
static int64_t next_onboard, next_state, offset; /* of the time of day from the steady clock */
static struct mosquitto *client;
static char out[65536];                        /* the message that is being written */
static size_t used;
static volatile sig_atomic_t is_over;
static void end(int signal) { is_over = 1; }
/* Settings come from the environment: other users can read arguments. */
static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}
static int64_t now(void) { /* milliseconds of the steady clock */
    struct timespec t = { 0, 0 };
    return clock_gettime(CLOCK_MONOTONIC, &t), (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char *blank(const char *p) { return p + strspn(p, " \t\r\n"); }
static const char *after(const char *p, int depth) { /* what follows the JSON value at p; NULL if there is none */
    size_t length = strcspn(p, ",]}: \t\r\n");
    char last = *p == '{' ? '}' : ']';
    if (*p == '"') {
        for (p++; *p != '"'; p++) if (!*p || (*p == '\\' && !*++p)) return NULL;
        return p + 1;
    }
    if (*p != '{' && *p != '[') return length ? p + length : NULL;
    if (depth > 32) return NULL;
    for (p = blank(p + 1); *p != last; p = blank(p + 1)) {
        if (last == '}') {
            if (*p != '"' || !(p = after(p, depth)) || *(p = blank(p)) != ':') return NULL;
            p = blank(p + 1);
        }
        if (!(p = after(p, depth + 1)) || (*(p = blank(p)) != last && *p != ',')) return NULL;
        if (*p == last) break;
    }
    return p + 1;
}

/* The value of a member of the object at p; without a name the first one. The message was checked by after(). */
static const char *member(const char *p, const char *name, const char **key) {
    if (!p || *p != '{') return NULL;
    for (p = blank(p + 1); *p == '"'; p = blank(p + 1)) {
        const char *last = after(p, 0), *value = blank(blank(last) + 1);
        if (key) *key = p;
        if (!name || (strlen(name) + 2 == (size_t)(last - p) && !strncmp(p + 1, name, strlen(name)))) return value;
        if (*(p = blank(after(value, 0))) != ',') break;
    }
    return NULL;
}

static int text(const char *p, char *to, size_t size) { /* copies what stands between the quotes, as it is there */
    if (!p || *p != '"' || (size_t)(after(p, 0) - p) > size + 1) return 0;
    return snprintf(to, size, "%.*s", (int)(after(p, 0) - p) - 2, p + 1) >= 0;
}
static void add(const char *format, ...) { /* writes a part of the message */
    va_list values;
    va_start(values, format);
    int length = vsnprintf(out + used, sizeof out - used, format, values);
    va_end(values);
    used = length < 0 || (size_t)length >= sizeof out - used ? sizeof out - 1 : used + (size_t)length;
}
static const char *topic(const char *part) {
    static char name[1100];
    return snprintf(name, sizeof name, "%s/edge/%s/%s", base, vendor, part), name;
}
static int publish(const char *part, const char *message, bool is_retained) {
    int number = 0;
    mosquitto_publish(client, &number, topic(part), (int)strlen(message), message, 1, is_retained);
    return parts_sent[number % 64] = part, number;
}
static void tell(const char *what, const char *where, const char *why) { /* once, until something else is told */
    static char line[1500], last[sizeof line];
    snprintf(line, sizeof line, "%s %s: %s\n", what, where, why);
    if (strcmp(line, last)) fputs(strcpy(last, line), stderr);
}

static void onboard(void) {
    const char *parts[] = { "onboarded", "command", "error" }; /* again each time: the broker may not have let it */
    for (int i = used = 0, number; i < 3; i++)
        if (!mosquitto_subscribe(client, &number, topic(parts[i]), 1)) parts_sent[number % 64] = parts[i];
    add("{\"password\":\"");
    for (const char *p = secret; *p; p++) add(*p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    add("\",\"type\":\"lamp\",\"firmware\":\"1.0\",\"interval\":\"15_MINUTES\",\"tx\":\"1\"}");
    publish("onboard", out, false);
    next_onboard = now() + 10000;
}

static void forget(int first) {
    memmove(kept, kept + first, (size_t)(count - first) * sizeof *kept);
    count -= first, sending = sending > first ? sending - first : 0;
}
/* Keeps the present state; the oldest one goes if there are too many. A real thermometer has wires. */
static void measure(void) {
    double temperature = 21 + sin((double)now() / 60000);
    if (count == KEPT) forget(1);
    kept[count].when = now();
    const char *form = "{\"on\":%s,\"brightness\":%.6g,\"color\":\"%s\",\"temperature\":%.2f}";
    snprintf(kept[count++].state, sizeof kept->state, form, is_on ? "true" : "false", brightness, color, temperature);
}
static void upload(void) { /* what was kept: the present state alone, or a list with times */
    int64_t time = now();
    if (sending && acknowledged && time - acknowledged > 1000) forget(sending); /* until then an error may come */
    while (!sending && count && time - kept[0].when > DAY - 60000) forget(1);
    if (sending || !count || !is_linked || !is_onboarded || time < pause_until) return;
    int number = used = 0;
    if (count == 1 && time - kept[0].when < 1000) {
        add("%s", kept[number++].state);
    } else {
        for (add("["); number < count && used < LONGEST_LIST - 200; number++)
            add("%s{\"at\":%lld,\"state\":%s}", number ? "," : "", (long long)(kept[number].when + offset),
                kept[number].state);
        add("]");
    }
    if ((sent_as = publish("state", out, false))) sending = number, acknowledged = 0;
}

/* Sets the clock: forward at once, since a message may have been under way for some time, and back once an hour. */
static void set_clock(const char *message) {
    static int64_t set_at;
    int year, month, day, hour, minute, second, millis;
    const char *ts = member(message, "ts", NULL), *form = "\"%4d-%2d-%2dT%2d:%2d:%2d.%3dZ";
    if (!ts || sscanf(ts, form, &year, &month, &day, &hour, &minute, &second, &millis) != 7) return;
    if (month < 3) year--, month += 12; /* days since 1970, with years that begin in March */
    int64_t days = year * 365LL + year / 4 - year / 100 + year / 400 + (month * 153 - 457) / 5 + day - 719469;
    int64_t found = ((days * 24 + hour) * 60 + minute) * 60000 + second * 1000 + millis - now();
    if (!offset || found > offset || now() - set_at > 3600000) offset = found, set_at = now();
}

static const char *act(const char *name, const char *value) { /* returns NULL, or what is wrong: code and sentence */
    char word[sizeof color] = "", *rest;
    if (!strcmp(name, "on")) {
        if (*value != 't' && *value != 'f') return "wrong_type: on must be true or false";
        is_on = *value == 't';
    } else if (!strcmp(name, "brightness")) {
        double number = strtod(value, &rest);
        if (rest == value || !(number >= 0 && number <= 1)) return "out_of_range: brightness must be 0 to 1";
        brightness = number;
    } else if (!strcmp(name, "color")) {
        size_t length = text(value, word, sizeof word) ? strlen(word) : 0;
        if (*word == '#' ? length != 7 || strspn(word + 1, "0123456789abcdef") != 6
                         : !length || strspn(word, "abcdefghijklmnopqrstuvwxyz") != length)
            return "unknown_colour: color must be a name of CSS or #rrggbb";
        memcpy(color, word, sizeof color);
    } else return "unknown_action: this lamp has on, brightness and color";
    return NULL;
}

static void command(const char *message) {
    char id[201], name[64];
    const char *p = member(message, "deadline", NULL), *key = NULL, *value;
    if (!text(member(message, "commandID", NULL), id, sizeof id)) return;
    for (int i = 0; i < REMEMBERED; i++) if (!strcmp(seen[i], id)) return;
    if (p && strtod(p, NULL) < (double)(now() + offset)) return;
    strcpy(seen[next_seen++ % REMEMBERED], id);
    if (!(p = member(message, "actions", NULL)) || *p != '[') return;
    used = 0;
    add("{\"commandID\":\"%s\",\"actionResults\":[", id);
    for (const char *between = ""; (value = member(p = blank(p + 1), NULL, &key)); between = ",") {
        const char *wrong = act(text(key, name, sizeof name) ? name : "", value);
        add("%s{%.*s:{\"succeeded\":%s", between, (int)(after(key, 0) - key), key, wrong ? "false" : "true");
        if (wrong) add(",\"errorMessage\":\"%s\"", wrong);
        add("}}");
        if (*(p = blank(after(p, 0))) != ',') break;
    }
    add("]}");
    publish("result", out, false);
    measure();
}

static void onboarded(const char *message) {
    char word[300] = "", token[300] = "", id[64] = "", fresh[1100];
    if (!text(member(message, "status", NULL), word, sizeof word) || strcmp(word, "ok")) {
        text(member(message, "message", NULL), word, sizeof word);
        fprintf(stderr, "not onboarded: %s\n", word);
        next_onboard = now() + 60000; /* guesses of the password are limited */
        return;
    }
    is_onboarded = 1;
    text(member(message, "thingID", NULL), id, sizeof id);
    text(member(message, "accessToken", NULL), token, sizeof token);
    fprintf(stderr, "onboarded as %s\n", id);
    /* The token is for HTTP. Nobody else may read it, and a power cut must not leave half of it. */
    const char *keep = setting("LAMP_KEEP", NULL);
    if (!keep || !*token || snprintf(fresh, sizeof fresh, "%s.new", keep) >= (int)sizeof fresh) return;
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) perror(fresh);
    else dprintf(file, "%s\n%s\n", id, token), fsync(file), close(file), rename(fresh, keep);
}
static void refused(const char *message) {
    char code[64] = "", what[300] = "", where[1100] = "";
    text(member(message, "code", NULL), code, sizeof code);
    text(member(message, "message", NULL), what, sizeof what);
    text(member(message, "topic", NULL), where, sizeof where);
    fprintf(stderr, "refused: %s: %s\n", code, what);
    int is_unknown = !strcmp(code, "not_onboarded") || !strcmp(code, "unknown_thing");
    if (is_unknown) is_onboarded = 0, next_onboard = now() + 10000;
    if (strcmp(where, topic("state"))) return;
    /* What is wrong would be refused again; the rest is sent again later. */
    if (is_unknown || !strcmp(code, "rate_limited") || !strncmp(code, "server_", 7)) pause_until = now() + 5000;
    else forget(sending);
    sending = 0;
}
static void received(struct mosquitto *m, void *unused, const struct mosquitto_message *message) {
    static char json[65537]; /* none is larger */
    snprintf(json, sizeof json, "%.*s", message->payloadlen, message->payload ? (char *)message->payload : "");
    const char *start = blank(json), *rest = after(start, 0);
    if (*start != '{' || !rest || *blank(rest)) return;
    set_clock(start);
    if (!strcmp(message->topic, topic("onboarded"))) onboarded(start);
    if (!strcmp(message->topic, topic("command"))) command(start);
    if (!strcmp(message->topic, topic("error"))) refused(start);
}

/* The broker has a message. With a reason nobody gets it: the daemon has stopped, or its list does not allow it. */
static void acknowledge(struct mosquitto *m, void *data, int number, int reason, const mosquitto_property *more) {
    if (reason) tell("publish", topic(parts_sent[number % 64]), mosquitto_reason_string(reason));
    if (sending && number == sent_as) acknowledged = now(), sending = reason ? 0 : sending;
    if (reason) pause_until = next_onboard = now() + 5000;
}
static void subscribed(struct mosquitto *m, void *data, int number, int count, const int *granted) {
    if (count && *granted > 127) tell("subscribe", topic(parts_sent[number % 64]), mosquitto_reason_string(*granted));
}
static void linked(struct mosquitto *m, void *unused, int result) {
    tell("connect", broker, mosquitto_reason_string(result));
    is_linked = !result;
    if (is_linked) publish("status", "online", true), onboard();
}
static void unlinked(struct mosquitto *m, void *data, int reason, const mosquitto_property *more) {
    const char *why = reason > 127 ? mosquitto_reason_string(reason) : mosquitto_strerror(reason);
    if (reason == 0x8E) why = "another client with the same vendorThingID took its place";
    if (is_linked && !is_over) tell("lost", broker, why);
}

/* Connects, and stays until the link is lost. What was not acknowledged is kept, and sent again with its time. */
static void run(void) {
    const char *certificates = setting("LAMP_CAFILE", NULL);
    if (!(client = mosquitto_new(vendor, true, NULL))) exit(70);
    mosquitto_connect_callback_set(client, linked), mosquitto_disconnect_v5_callback_set(client, unlinked);
    mosquitto_subscribe_callback_set(client, subscribed);
    mosquitto_message_callback_set(client, received);
    mosquitto_publish_v5_callback_set(client, acknowledge);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_will_set(client, topic("status"), 7, "offline", 1, true);
    mosquitto_username_pw_set(client, setting("LAMP_USER", vendor), setting("LAMP_PASSWORD", secret));
    if (certificates && mosquitto_tls_set(client, certificates, NULL, NULL, NULL, NULL))
        exit((fputs("LAMP_CAFILE cannot be used\n", stderr), 66)); /* never without encryption then */
    int result = mosquitto_connect(client, setting("LAMP_BROKER", "localhost"), atoi(setting("LAMP_PORT", "1883")), 30);
    int64_t until = now() + 2000;
    if (result != MOSQ_ERR_SUCCESS) tell("no broker at", broker, mosquitto_strerror(result));
    while (!is_over && (result == MOSQ_ERR_SUCCESS || now() < until)) {
        if (result != MOSQ_ERR_SUCCESS) nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
        else if ((result = mosquitto_loop(client, 100, 1)) != MOSQ_ERR_SUCCESS) is_linked = 0, until = now() + 2000;
        if (now() >= next_state) measure(), next_state = now() + 1000 * atoi(setting("LAMP_SECONDS", "5"));
        if (is_linked && !is_onboarded && now() >= next_onboard) onboard();
        upload();
    }
    if (is_linked) publish("status", "offline", true);
    for (int i = 0; is_linked && i < 10; i++) mosquitto_loop(client, 20, 1);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    is_linked = is_onboarded = sending = 0;
}

int main(void) {
    base = setting("LAMP_BASE", "trilateral/node"), vendor = setting("LAMP_VENDOR", NULL);
    secret = setting("LAMP_SECRET", NULL);
    if (!vendor || !secret) return fputs("LAMP_VENDOR and LAMP_SECRET must be set\n", stderr), 64;
    snprintf(broker, sizeof broker, "%s:%s", setting("LAMP_BROKER", "localhost"), setting("LAMP_PORT", "1883"));
    signal(SIGTERM, end), signal(SIGINT, end);
    for (mosquitto_lib_init(); !is_over;) run();
    return mosquitto_lib_cleanup();
}
