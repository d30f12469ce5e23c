// What the daemon costs while nothing happens.
#include "measure.h"

#include <stdio.h>
#include <unistd.h>

int idle(int pid, int things, int seconds) {
    (void)things;
    sleep(3);
    double before = processor_ns(pid), begun = now_us();
    struct wakeups wakeups = {0};
    read_wakeups(pid, &wakeups);
    long first = wakeups.sum;
    for (int second = 0; second < seconds; second++) {
        sleep(1);
        read_wakeups(pid, &wakeups);
    }
    double rate = (double)(wakeups.sum - first) / ((now_us() - begun) / 1e6);
    double percent = (processor_ns(pid) - before) / ((now_us() - begun) * 1000) * 100;
    row_below("idle, 1,000 things: resident memory", "%.1f MB", (double)status_kb(pid, "VmRSS") / 1024, "< 45 MB", 45);
    row_below("idle: of it anonymous", "%.1f MB", (double)status_kb(pid, "RssAnon") / 1024, "< 14 MB", 14);
    row_below("idle: processor", "%.3f %% of a core", percent, "< 0.15 %", 0.15);
    row_below("idle: wake-ups", "%.1f /s", rate, "< 5 /s", 5);
    return 0;
}
