// What the measurements of the Flare server share: HTTP and WebSocket over loopback, as bare as can be.
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <sys/types.h>

// Bytes that came or are to go; `start` is the first that counts.
struct buffer {
    char *bytes;
    size_t start, end, room;
};
void append(struct buffer *buffer, const void *bytes, size_t count);
// Reads what there is. 0 at the end of the connection, -1 when nothing has come.
ssize_t fill(struct buffer *buffer, int socket);

// A connection to 127.0.0.1, blocking.
int connect_to(int port);
void send_all(int socket, const char *bytes, size_t count);
void do_not_wait(int socket);

// One request on a connection of its own; the body of the answer, to be freed.
char *request(int port, const char *method, const char *path, const char *body, size_t *length);
// Creates an object and copies its id, 24 digits and a 0. `connection` is kept open.
void create(int connection, const char *path, const char *json, char id[25]);
// The length of the HTTP message at the start of the text, or 0 when it is not whole; its body begins at `body`.
size_t http_message(const struct buffer *buffer, size_t *body);

// A WebSocket of Socket.IO, protocol 3, that has joined.
int join(int port, struct buffer *input);
// A text frame as clients send it; returns its length.
size_t frame(char *target, const char *text);
void say(int socket, const char *text);
// The next whole text frame, or NULL; counts until the next call of `fill`.
char *next_frame(struct buffer *buffer, size_t *length);

// A row of the table. `aim` below 0 means none; `at_least` says on which side of it is good. A floor of 0 is left out.
void row(const char *what, const char *unit, double floor, double ours, double aim, int at_least);

// A server in a process of its own that does the least possible: every GET gets the body, and what one WebSocket sets
// (`setData`) goes to all that have subscribed to anything. It ends with this process.
pid_t start_floor(int *port, const char *body, size_t length);

int rest(int port);
int fanout(int port);
int clients(int port, int pid);
int growth(int port, int pid);
// The tokens of so many users, one a line of the file; each has 47 characters.
enum { token_room = 64 };
void read_tokens(const char *file, int count, char (*tokens)[token_room]);
// With tokens, each page is another user's.
int open_pages(int port, int broker, const char *root, int pid, const char *tokens);
int lists(int port, const char *tokens);

#endif
