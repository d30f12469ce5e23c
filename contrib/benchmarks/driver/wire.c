#define _GNU_SOURCE
#include "wire.h"

#include "measure.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void make_room(struct buffer *buffer, size_t count) {
    if (buffer->start > 0) {
        memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->end - buffer->start);
        buffer->end -= buffer->start;
        buffer->start = 0;
    }
    if (buffer->room - buffer->end >= count) return;
    buffer->room = (buffer->end + count) * 2;
    buffer->bytes = realloc(buffer->bytes, buffer->room);
    if (!buffer->bytes) fail("no memory for a buffer");
}

void append(struct buffer *buffer, const void *bytes, size_t count) {
    if (buffer->room - buffer->end < count) make_room(buffer, count);
    memcpy(buffer->bytes + buffer->end, bytes, count);
    buffer->end += count;
}

ssize_t fill(struct buffer *buffer, int socket) {
    if (buffer->room - buffer->end < 4096) make_room(buffer, 4096);
    // One place less, for the 0 that ends a text.
    ssize_t count = recv(socket, buffer->bytes + buffer->end, buffer->room - buffer->end - 1, 0);
    if (count > 0) buffer->bytes[buffer->end += (size_t)count] = 0;
    return count;
}

int connect_to(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = 20};
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof address))
        fail("no connection to port %d: %s", port, strerror(errno));
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return socket_;
}

void do_not_wait(int socket) { fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK); }

void send_all(int socket, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) fail("the server closes: %s", strerror(errno));
        bytes += sent, count -= (size_t)sent;
    }
}

size_t http_message(const struct buffer *buffer, size_t *body) {
    if (buffer->end == buffer->start) return 0;
    const char *text = buffer->bytes + buffer->start, *end = strstr(text, "\r\n\r\n");
    const char *length = end ? strcasestr(text, "\r\ncontent-length:") : NULL;
    if (!length || length > end) return 0;
    *body = (size_t)(end - text) + 4;
    size_t whole = *body + strtoul(length + 17, NULL, 10);
    return buffer->end - buffer->start >= whole ? whole : 0;
}

static size_t exchange(int connection, struct buffer *input, const char *method, const char *path, const char *body,
                       size_t *begin) {
    char head[512];
    int count = snprintf(head, sizeof head,
                         "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                         "Content-Length: %zu\r\n\r\n",
                         method, path, body ? strlen(body) : 0);
    struct buffer output = {0};
    append(&output, head, (size_t)count);
    if (body) append(&output, body, strlen(body));
    send_all(connection, output.bytes, output.end);
    free(output.bytes);
    size_t whole;
    while (!(whole = http_message(input, begin)))
        if (fill(input, connection) <= 0) fail("no answer to %s %s", method, path);
    if (strncmp(input->bytes + input->start, "HTTP/1.1 200", 12)) fail("%s %s: %.200s", method, path, input->bytes);
    return whole;
}

char *request(int port, const char *method, const char *path, const char *body, size_t *length) {
    struct buffer input = {0};
    int connection = connect_to(port);
    size_t begin, whole = exchange(connection, &input, method, path, body, &begin);
    close(connection);
    memmove(input.bytes, input.bytes + begin, whole - begin);
    input.bytes[whole - begin] = 0;
    if (length) *length = whole - begin;
    return input.bytes;
}

void read_tokens(const char *file, int count, char (*tokens)[token_room]) {
    FILE *input = fopen(file, "r");
    for (int index = 0; index < count; index++) {
        if (!input || !fgets(tokens[index], token_room, input)) fail("%s has no %d tokens", file, count);
        tokens[index][strcspn(tokens[index], "\n")] = 0;
    }
    fclose(input);
}

void create(int connection, const char *path, const char *json, char id[25]) {
    struct buffer input = {0};
    size_t begin;
    exchange(connection, &input, "POST", path, json, &begin);
    const char *found = strstr(input.bytes + begin, "\"_id\":\"");
    if (!found) fail("POST %s gives no object: %.200s", path, input.bytes + begin);
    snprintf(id, 25, "%.24s", found + 7);
    free(input.bytes);
}

int join(int port, struct buffer *input) {
    static const char opening[] = "GET /socket.io/?EIO=3&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: dHJpbGF0ZXJhbCBiZW5jaA==\r\n\r\n";
    int connection = connect_to(port);
    send_all(connection, opening, sizeof opening - 1);
    const char *end = NULL;
    while (!end) {
        if (fill(input, connection) <= 0) fail("no WebSocket on port %d", port);
        end = strstr(input->bytes, "\r\n\r\n");
    }
    if (strncmp(input->bytes, "HTTP/1.1 101", 12)) fail("no WebSocket on port %d: %.100s", port, input->bytes);
    input->start = (size_t)(end - input->bytes) + 4;
    for (;;) {
        size_t length;
        for (char *text; (text = next_frame(input, &length));)
            if (length == 2 && !memcmp(text, "40", 2)) return connection;
        if (fill(input, connection) <= 0) fail("nobody lets us into the namespace /");
    }
}

// The mask is of zeros.
size_t frame(char *target, const char *text) {
    size_t length = strlen(text), head = length < 126 ? 2 : 4;
    if (length > 65535) fail("a message that is too long");
    target[0] = (char)0x81;
    target[1] = (char)(0x80 | (length < 126 ? length : 126));
    if (length >= 126) target[2] = (char)(length >> 8), target[3] = (char)length;
    memset(target + head, 0, 4);
    memcpy(target + head + 4, text, length);
    return head + 4 + length;
}

void say(int socket, const char *text) {
    char bytes[512];
    if (strlen(text) > 480) fail("a message that is too long");
    send_all(socket, bytes, frame(bytes, text));
}

char *next_frame(struct buffer *buffer, size_t *length) {
    for (;;) {
        const unsigned char *bytes = (unsigned char *)buffer->bytes + buffer->start;
        size_t there = buffer->end - buffer->start, head = 2;
        if (there < 2) return NULL;
        size_t count = bytes[1] & 127, mask = bytes[1] & 128 ? 4 : 0;
        if (count == 126) {
            if (there < 4) return NULL;
            count = (size_t)bytes[2] << 8 | bytes[3], head = 4;
        } else if (count == 127) {
            if (there < 10) return NULL;
            count = 0, head = 10;
            for (int index = 2; index < 10; index++) count = count << 8 | bytes[index];
        }
        if (there < head + mask + count) return NULL;
        char *text = buffer->bytes + buffer->start + head + mask;
        int is_text = (bytes[0] & 15) == 1;
        buffer->start += head + mask + count;
        *length = count;
        if (is_text) return text;
    }
}

// Whole numbers from 100 on, with a space between each three digits; else two or one behind the point.
static void number(char *target, size_t room, double value, const char *unit) {
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%.*f", value >= 100 || value == 0 ? 0 : value < 10 ? 2 : 1, value);
    size_t used = 0;
    for (int index = 0; index < count && used + 4 < room; index++) {
        target[used++] = digits[index];
        int left = count - index - 1;
        if (value >= 1e4 && left > 0 && left % 3 == 0) target[used++] = ' ';
    }
    snprintf(target + used, room - used, "%s%s", *unit ? " " : "", unit);
}

void row(const char *what, const char *unit, double floor, double ours, double aim, int at_least) {
    char floors[48] = "–", own[48], ratio[32] = "–", aims[64] = "–";
    number(own, sizeof own, ours, unit);
    if (floor > 0) {
        number(floors, sizeof floors, floor, unit);
        snprintf(ratio, sizeof ratio, "%.2f", ours / floor);
    }
    if (aim >= 0) {
        const char *sign = aim == 0 ? "" : at_least ? "≥ " : "≤ ";
        strcpy(aims, sign);
        number(aims + strlen(sign), sizeof aims - strlen(sign), aim, unit);
    }
    const char *met = aim < 0 ? "–" : (at_least ? ours >= aim : ours <= aim) ? "yes" : "**no**";
    printf("| %s | %s | %s | %s | %s | %s |\n", what, floors, own, ratio, aims, met);
    fflush(stdout);
}
