// What the daemon costs while nothing happens.
#include "measure.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Time on a processor of all threads, nanoseconds.
static double processor_ns(int pid) {
    char path[320];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    if (!folder) fail("there is no process %d", pid);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (atoi(entry->d_name) == 0) continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        FILE *file = fopen(path, "r");
        double value = 0;
        if (file && fscanf(file, "%lf", &value) == 1) sum += value;
        if (file) fclose(file);
    }
    closedir(folder);
    return sum;
}

int idle(int pid, int things, int seconds) {
    (void)things;
    sleep(3);
    double before = processor_ns(pid), begun = now_us();
    sleep((unsigned)seconds);
    double percent = (processor_ns(pid) - before) / ((now_us() - begun) * 1000) * 100;
    row_below("idle, 1,000 things: resident memory", "%.1f MB", (double)status_kb(pid, "VmRSS") / 1024, "< 40 MB", 40);
    row_below("idle: of it anonymous", "%.1f MB", (double)status_kb(pid, "RssAnon") / 1024, "< 10 MB", 10);
    row_below("idle: processor", "%.3f %% of a core", percent, "< 0.2 %", 0.2);
    return 0;
}
