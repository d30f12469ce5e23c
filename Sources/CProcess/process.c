#define _GNU_SOURCE
#include "CProcess.h"
#include <fcntl.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

static int count;
static char **arguments;

// Source: the System V ABI; glibc calls constructors with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    count = argc;
    arguments = argv;
}

int trilateral_argument_count(void) {
    return count;
}

const char *trilateral_argument(int index) {
    return index >= 0 && index < count ? arguments[index] : NULL;
}

const char *trilateral_executed_path(void) {
    return (const char *)getauxval(AT_EXECFN);
}

void trilateral_close_on_exec_from(int first) {
#ifdef SYS_close_range
    // 4 is CLOSE_RANGE_CLOEXEC.
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 4U) == 0) return;
#endif
    // Linux before 5.11: the limit is that of the descriptors that there are.
    struct rlimit limit;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1048576 ? limit.rlim_cur : 1048576;
    for (int descriptor = first; (rlim_t)descriptor < end; descriptor++) {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
}

int trilateral_clock_is_synchronised(void) {
    struct timex state = {0};
    // Nothing is set, so it needs no right.
    int result = adjtimex(&state);
    if (result < 0) return -1;
    return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
