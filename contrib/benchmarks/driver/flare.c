// Measures a Flare server and the web interface from outside, beside servers that do the least possible.
#include "measure.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int count, char **arguments) {
    // A thousand clients are as many open files.
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const char *verb = count > 1 ? arguments[1] : "";
    int port = count > 2 ? atoi(arguments[2]) : 0, pid = count > 3 ? atoi(arguments[3]) : 0;
    if (!strcmp(verb, "rest") && count == 3) return rest(port);
    if (!strcmp(verb, "fanout") && count == 3) return fanout(port);
    if (!strcmp(verb, "clients") && count == 4) return clients(port, pid);
    if (!strcmp(verb, "growth") && count == 4) return growth(port, pid);
    if (!strcmp(verb, "pages") && count == 6) return open_pages(port, pid, arguments[4], atoi(arguments[5]), NULL);
    if (!strcmp(verb, "pages") && count == 7) return open_pages(port, pid, arguments[4], atoi(arguments[5]), arguments[6]);
    if (!strcmp(verb, "lists") && count == 4) return lists(port, arguments[3]);
    fail("usage: flare rest PORT | fanout PORT | clients PORT PID | growth PORT PID |\n"
         "  pages PORT BROKER ROOT PID [TOKENS] | lists PORT TOKENS");
}
