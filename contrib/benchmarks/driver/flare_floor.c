// A Flare server that does the least possible, beside which the real one is measured.
#define _GNU_SOURCE
#include "measure.h"
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most = 4096 };

struct peer {
    struct buffer input, output;
    int socket, is_websocket, subscribes, waits_to_write;
};
static struct peer *peers[most];
static int epoll, listener;
static struct buffer page;

static void leave(struct peer *peer) {
    close(peer->socket);
    peers[peer->socket] = NULL;
    free(peer->input.bytes), free(peer->output.bytes), free(peer);
}

static void flush(struct peer *peer) {
    struct buffer *output = &peer->output;
    while (output->start < output->end) {
        ssize_t sent = send(peer->socket, output->bytes + output->start, output->end - output->start, MSG_NOSIGNAL);
        if (sent < 0) break;
        output->start += (size_t)sent;
    }
    if (output->start == output->end) output->start = output->end = 0;
    int waits = output->end > 0;
    if (waits == peer->waits_to_write) return;
    peer->waits_to_write = waits;
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = peer};
    epoll_ctl(epoll, EPOLL_CTL_MOD, peer->socket, &event);
}

static void put_frame(struct buffer *output, const char *text, size_t length) {
    char head[4] = {(char)0x81, (char)(length < 126 ? length : 126), (char)(length >> 8), (char)length};
    append(output, head, length < 126 ? 2 : 4);
    append(output, text, length);
}

// 42["setData",{"thing":"ID","key":"v","value":N}]
static void hear(struct peer *peer, const char *text, size_t length) {
    char message[200];
    if (length > 15 && !memcmp(text, "42[\"subscribe\",", 15)) peer->subscribes = 1;
    if (length < 68 || memcmp(text, "42[\"setData\",", 13)) return;
    int count = snprintf(message, sizeof message, "42[\"data\",{\"data\":{\"v\":%ld},\"thing\":\"%.24s\"}]",
                         strtol(text + 67, NULL, 10), text + 23);
    for (int index = 0; index < most; index++)
        if (peers[index] && peers[index]->subscribes && peers[index] != peer)
            put_frame(&peers[index]->output, message, (size_t)count);
}

static void open_websocket(struct peer *peer) {
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 "Sec-WebSocket-Accept: nobody looks at this\r\n\r\n";
    static const char open[] = "0{\"sid\":\"floor\",\"upgrades\":[],\"pingInterval\":25000,\"pingTimeout\":60000}";
    append(&peer->output, answer, sizeof answer - 1);
    put_frame(&peer->output, open, sizeof open - 1);
    put_frame(&peer->output, "40", 2);
    peer->is_websocket = 1;
}

static void read_from(struct peer *peer) {
    ssize_t count = fill(&peer->input, peer->socket);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return leave(peer);
    struct buffer *input = &peer->input;
    int has_set = 0;
    while (!peer->is_websocket && input->end > input->start) {
        char *text = input->bytes + input->start, *end = strstr(text, "\r\n\r\n");
        if (!end) break;
        if (memmem(text, (size_t)(end - text), "Upgrade", 7)) open_websocket(peer);
        else append(&peer->output, page.bytes, page.end);
        input->start += (size_t)(end - text) + 4;
    }
    size_t length;
    for (char *text; peer->is_websocket && (text = next_frame(input, &length)); has_set = 1) hear(peer, text, length);
    flush(peer);
    for (int index = 0; has_set && index < most; index++)
        if (peers[index] && peers[index]->output.end > 0 && !peers[index]->waits_to_write) flush(peers[index]);
}

static void serve(void) {
    struct epoll_event events[64], event = {.events = EPOLLIN};
    epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        for (int index = 0; index < count; index++) {
            struct peer *peer = events[index].data.ptr;
            if (peer) {
                if (events[index].events & EPOLLOUT) flush(peer);
                if (events[index].events & ~(uint32_t)EPOLLOUT) read_from(peer);
                continue;
            }
            int yes = 1, socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
            if (socket < 0 || socket >= most) continue;
            setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            peers[socket] = peer = calloc(1, sizeof *peer);
            peer->socket = socket;
            event = (struct epoll_event){.events = EPOLLIN, .data.ptr = peer};
            epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
        }
    }
}

pid_t start_floor(int *port, const char *body, size_t length) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        fail("no port for the floor");
    *port = ntohs(address.sin_port);
    char head[160];
    int count = snprintf(head, sizeof head,
                         "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %zu\r\n\r\n",
                         length);
    page = (struct buffer){0};
    append(&page, head, (size_t)count);
    append(&page, body, length);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve();
    }
    close(listener);
    return child;
}
