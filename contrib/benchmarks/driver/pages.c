// The web interface as its pages see it: how soon a change is in an event stream, and what pages cost while the device moves.
#include "measure.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/wait.h>
#include <unistd.h>

enum { pages = 50, rounds = 500, seconds = 10 };

// A page that reads the event stream.
struct page {
    struct buffer input;
    int socket;
    long frames;
};

// The header of a user; `token` may be NULL.
static const char *authorization(const char *token) {
    static char line[token_room + 40];
    snprintf(line, sizeof line, "Authorization: Bearer %s\r\n", token ? token : "");
    return token ? line : "";
}

static void post(int socket, const char *token, const char *path, const char *body, struct buffer *answer) {
    char text[600];
    int length = snprintf(text, sizeof text,
                          "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s", path, authorization(token), strlen(body), body);
    send_all(socket, text, (size_t)length);
    if (!answer) return;
    size_t start, whole;
    while (!(whole = http_message(answer, &start)))
        if (fill(answer, socket) <= 0) fail("no answer to POST %s", path);
    if (strncmp(answer->bytes + answer->start, "HTTP/1.1 200", 12))
        fail("POST %s: %.300s", path, answer->bytes + answer->start);
    answer->start += whole;
}

static int open_stream(int port, const char *path, const char *token, struct page *page) {
    char text[300];
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n%s\r\n",
                          path, authorization(token));
    *page = (struct page){.socket = connect_to(port)};
    send_all(page->socket, text, (size_t)length);
    // The first event is the whole state.
    while (!page->input.bytes || !strstr(page->input.bytes, "event: state"))
        if (fill(&page->input, page->socket) <= 0) fail("GET %s: %.300s", path, page->input.bytes ? page->input.bytes : "");
    page->input.start = page->input.end = 0;
    page->input.bytes[0] = 0;
    return page->socket;
}

// Waits for an event of a thing with this state; what came before it is forgotten.
static void await_thing(struct page *page, const char *slug, const char *state) {
    char name[120], value[40];
    snprintf(name, sizeof name, "\"slug\":\"%s\"", slug);
    snprintf(value, sizeof value, "\"state\":\"%s\"", state);
    for (;;) {
        // One event at a time: a name and a state of two events are no change.
        char *event = page->input.bytes ? page->input.bytes + page->input.start : NULL, *end;
        while (event && (end = strstr(event, "\n\n"))) {
            *end = 0;
            int found = strstr(event, "event: thing") && strstr(event, name) && strstr(event, value);
            page->input.start = (size_t)(end + 2 - page->input.bytes);
            if (found) return;
            event = end + 2;
        }
        if (fill(&page->input, page->socket) <= 0) fail("the stream ended before %s was %s", slug, state);
    }
}

// A server in a process of its own that does the least possible: a POST is answered, and its body goes to the stream as
// one event.
static pid_t start_echo(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 8) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        fail("the floor cannot listen");
    *port = ntohs(address.sin_port);
    pid_t child = fork();
    if (child) return close(listener), child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: state\ndata: {}\n\n";
    static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    int stream = accept(listener, NULL, NULL), yes = 1;
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    char text[4096];
    if (read(stream, text, sizeof text) <= 0) _exit(1);
    send_all(stream, head, sizeof head - 1);
    int poster = accept(listener, NULL, NULL);
    setsockopt(poster, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ssize_t count;
    while ((count = read(poster, text, sizeof text - 1)) > 0) {
        text[count] = 0;
        char *body = strstr(text, "\r\n\r\n"), event[4200];
        int size = snprintf(event, sizeof event, "event: thing\ndata: %s\n\n", body ? body + 4 : "");
        send_all(stream, event, (size_t)size);
        send_all(poster, ok, sizeof ok - 1);
    }
    _exit(0);
}

static void measure_events(int port, const char *path, const char *format, struct sample *times) {
    struct page reader;
    struct buffer answer = {0};
    open_stream(port, "/api/events", NULL, &reader);
    int poster = connect_to(port);
    // The first change is from ON to OFF, whatever the lamp was before.
    char on[120];
    snprintf(on, sizeof on, format, "ON");
    post(poster, NULL, path, on, &answer);
    for (int round = 0; round < rounds; round++) {
        const char *state = round % 2 ? "ON" : "OFF";
        char body[120];
        snprintf(body, sizeof body, format, state);
        double begun = now_us();
        post(poster, NULL, path, body, NULL);
        await_thing(&reader, "lamp-1", state);
        add(times, now_us() - begun);
        size_t start, whole;
        while (!(whole = http_message(&answer, &start)))
            if (fill(&answer, poster) <= 0) fail("no answer to POST %s", path);
        answer.start += whole;
        usleep(2000);
    }
    close(reader.socket), close(poster);
    free(reader.input.bytes), free(answer.bytes);
}

// How often a text occurs; what remains at the end may be its beginning.
static long count_of(struct page *page, const char *text) {
    long count = 0;
    char *at = page->input.bytes + page->input.start, *found;
    while ((found = strstr(at, text))) count++, at = found + strlen(text);
    size_t rest = strlen(text) - 1, left = page->input.bytes + page->input.end - at;
    page->input.start = page->input.end - (left < rest ? left : rest);
    return count;
}

static void measure_frames(int port, int broker, const char *root, int pid, const char *tokens) {
    static struct page all[pages];
    static char users[pages][token_room];
    if (tokens) read_tokens(tokens, pages, users);
    struct epoll_event events[pages];
    struct buffer answer = {0};
    char path[120], topic[300], body[120];
    int epoll = epoll_create1(0), poster = connect_to(port);
    for (int index = 0; index < pages; index++) {
        const char *token = tokens ? users[index] : NULL;
        snprintf(path, sizeof path, "/api/events?display=page%d", index);
        open_stream(port, path, token, &all[index]);
        do_not_wait(all[index].socket);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[index]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, all[index].socket, &event);
        snprintf(path, sizeof path, "/api/display/page%d/presence", index);
        post(poster, token, path, "\"visible\"", &answer);
    }
    struct mosquitto *client = dial(broker, NULL);
    snprintf(topic, sizeof topic, "%s/device/set", root);
    double before = processor_ns(pid), begun = now_us(), next = begun;
    long moves = 0;
    for (double now = begun; now - begun < seconds * 1e6; now = now_us()) {
        if (now >= next) {
            // Thirty frames each: one move a second is thirty frames a second.
            snprintf(body, sizeof body, "{\"position\":{\"x\":%ld,\"y\":1}}", 1 + moves % 2 * 3);
            publish(client, topic, body, 0);
            next += 1e6, moves++;
        }
        mosquitto_loop(client, 0, 1);
        int count = epoll_wait(epoll, events, pages, 5);
        for (int index = 0; index < count; index++) {
            struct page *page = events[index].data.ptr;
            if (fill(&page->input, page->socket) == 0) fail("a stream ended");
            page->frames += count_of(page, "event: frame");
        }
    }
    double elapsed = now_us() - begun, used = (processor_ns(pid) - before) / (elapsed * 1000) * 100;
    long frames = 0;
    for (int index = 0; index < pages; index++) frames += all[index].frames, close(all[index].socket);
    double rate = (double)frames / pages / (elapsed / 1e6);
    if (rate < 25) fail("only %.1f frames a second came to each page", rate);
    char what[160];
    snprintf(what, sizeof what, "%d open pages%s at %.0f frames a second: processor", pages,
             tokens ? " of as many users" : "", rate);
    row_below(what, "%.1f %% of a core", used, "< 15 %", 15);
    close(epoll), close(poster);
}

int open_pages(int port, int broker, const char *root, int pid, const char *tokens) {
    if (tokens) return measure_frames(port, broker, root, pid, tokens), 0;
    struct sample floors = {0}, ours = {0};
    int floor_port;
    pid_t floor = start_echo(&floor_port);
    measure_events(floor_port, "/", "{\"slug\":\"lamp-1\",\"state\":\"%s\"}", &floors);
    kill(floor, SIGKILL);
    waitpid(floor, NULL, 0);
    measure_events(port, "/api/things/lamp-1/set", "{\"state\":\"%s\"}", &ours);
    row("a command over HTTP to its event in a page, against a bare echo: median", "µs", share(&floors, 0.5), share(&ours, 0.5),
        -1, 0);
    row_below("the same: median", "%.2f ms", share(&ours, 0.5) / 1000, "< 20 ms", 20);
    row_below("the same: 99 %", "%.2f ms", share(&ours, 0.99) / 1000, "–", 0);
    measure_frames(port, broker, root, pid, NULL);
    return 0;
}
