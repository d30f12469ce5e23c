#include "CClock.h"
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

int trilateral_clock_monitor(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

// A time that never comes, so that only a change of the clock ends the wait: a second before the end of what the kernel
// counts in signed 64-bit nanoseconds.
int trilateral_clock_monitor_arm(int descriptor) {
    struct itimerspec time = {.it_value.tv_sec = INT64_MAX / 1000000000 - 1};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}
