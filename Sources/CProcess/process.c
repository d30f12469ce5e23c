#define _GNU_SOURCE
#include "CProcess.h"
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
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

static int give_back(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    // What the kernel itself maps has a name without a path.
    if (object->dlpi_name[0] != '\0' && object->dlpi_name[0] != '/') return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void trilateral_give_back_program(void) {
    dl_iterate_phdr(give_back, NULL);
}
