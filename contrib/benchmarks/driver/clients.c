// What a client costs that is connected and says nothing.
#include "measure.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { crowd = 1000 };

// Kilobytes for each of them.
static double weigh(int port, int pid) {
    static int sockets[crowd];
    struct buffer input = {0};
    // What the first of all costs is not the price of one.
    int first = join(port, &input);
    usleep(500000);
    long before = status_kb(pid, "RssAnon");
    for (int index = 0; index < crowd; index++) {
        input.start = input.end = 0;
        sockets[index] = join(port, &input);
        say(sockets[index], "42[\"subscribe\",{\"environment\":\"54726c617400000000000001\",\"all\":true}]");
    }
    sleep(2);
    double grown = (double)(status_kb(pid, "RssAnon") - before) / crowd;
    for (int index = 0; index < crowd; index++) close(sockets[index]);
    close(first), free(input.bytes);
    return grown;
}

int clients(int port, int pid) {
    int floor_port;
    pid_t floor = start_floor(&floor_port, "", 0);
    double floors = weigh(floor_port, floor), ours = weigh(port, pid);
    kill(floor, SIGKILL);
    waitpid(floor, NULL, 0);
    row("memory of a WebSocket client that is idle, of 1,000", "kB", floors, ours, -1, 0);
    row("memory of the server at its highest, with 1,000 of them", "MB", 0, (double)status_kb(pid, "VmHWM") / 1024, 157, 0);
    return 0;
}
