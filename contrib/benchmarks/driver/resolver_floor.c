// The least that a resolver of station addresses can be: one thread, blocking calls, no limits. It greets, reads one
// message, answers a request with one name or stores an update that changes something, and closes.
#define _GNU_SOURCE
#include "measure.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char greeting[] = "{\"DDNSConnected\":[{\"Connected\":true}]}";

// The text of a member, without unescaping; 0 when there is none.
static int member(const char *message, const char *key, char *value, size_t room) {
    const char *found = strstr(message, key);
    if (!found) return 0;
    found += strlen(key);
    size_t length = strcspn(found, "\"");
    if (length >= room) return 0;
    memcpy(value, found, length);
    value[length] = 0;
    return 1;
}

int main(int count, char **words) {
    if (count != 3) fail("usage: resolver-floor PORT DATABASE");
    sqlite3 *database;
    sqlite3_stmt *find, *store;
    if (sqlite3_open(words[2], &database) ||
        sqlite3_exec(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(database, "SELECT IP FROM devices WHERE ID = ?", -1, &find, NULL) ||
        sqlite3_prepare_v2(database, "REPLACE INTO devices (ID, IP) VALUES (?, ?)", -1, &store, NULL))
        fail("%s: %s", words[2], sqlite3_errmsg(database));
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 1024)) fail("cannot listen");
    for (;;) {
        int peer = accept(listener, NULL, NULL);
        if (peer < 0) continue;
        setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (write(peer, greeting, sizeof greeting - 1) < 0) goto end;
        char message[4096], serial[80], address[20], reply[256];
        ssize_t length = read(peer, message, sizeof message - 1);
        if (length <= 0) goto end;
        message[length] = 0;
        if (!member(message, "\"StationDID\":\"", serial, sizeof serial)) goto end;
        sqlite3_bind_text(find, 1, serial, -1, SQLITE_TRANSIENT);
        const char *known = sqlite3_step(find) == SQLITE_ROW ? (const char *)sqlite3_column_text(find, 0) : NULL;
        if (member(message, "\"StationIP\":\"", address, sizeof address)) {
            int is_same = known && !strcmp(known, address);
            sqlite3_reset(find);
            if (!is_same) {
                sqlite3_bind_text(store, 1, serial, -1, SQLITE_TRANSIENT);
                sqlite3_bind_text(store, 2, address, -1, SQLITE_TRANSIENT);
                sqlite3_step(store);
                sqlite3_reset(store);
            }
        } else {
            int size = snprintf(reply, sizeof reply, "{\"HRHomeStationReply\":[{\"StationDID\":\"%s\",\"StationIP\":%s%s%s}]}",
                                serial, known ? "\"" : "", known ? known : "null", known ? "\"" : "");
            sqlite3_reset(find);
            if (write(peer, reply, (size_t)size) < 0) goto end;
        }
    end:
        close(peer);
    }
}
