// A wall clock that a test sets, for one program and without rights: preloaded, it moves what the program reads.
//
// FAULTS_CLOCK is a file with 8 bytes: nanoseconds by which the wall clock is ahead. FAULTS_CLOCK_SET is a fifo into which a
// test writes 8 bytes when it has set the clock; it stands for the timer that the kernel would cancel then.
// Sources: clock_gettime(2), timerfd_create(2) (TFD_TIMER_CANCEL_ON_SET), pthread_cond_timedwait(3p), ld.so(8).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
static volatile int64_t none = 0;
static volatile int64_t *ahead = &none;
static int monitor = -1;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("FAULTS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) ahead = page;
}

static void move(struct timespec *time, int64_t by) {
    time->tv_sec += by / second;
    time->tv_nsec += by % second;
    if (time->tv_nsec < 0) {
        time->tv_nsec += second;
        time->tv_sec--;
    } else if (time->tv_nsec >= second) {
        time->tv_nsec -= second;
        time->tv_sec++;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) move(time, *ahead);
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
    const char *path = getenv("FAULTS_CLOCK_SET");
    if (clock != CLOCK_REALTIME || !path) return syscall(SYS_timerfd_create, clock, flags);
    return monitor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
    if (timer == monitor && monitor >= 0 && (flags & TFD_TIMER_CANCEL_ON_SET)) return 0;
    return syscall(SYS_timerfd_settime, timer, flags, new, old);
}

// A deadline of the wall clock is one of the moved clock; the kernel knows only the real one. One of the steady clock, which
// begins with the machine, is left alone: it is within some months of now.
static struct timespec unmoved(const struct timespec *deadline) {
    struct timespec time = *deadline, steady;
    clock_gettime(CLOCK_MONOTONIC, &steady);
    if (time.tv_sec - steady.tv_sec > 10000000) move(&time, -*ahead);
    return time;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec time = unmoved(deadline);
    return real(condition, mutex, &time);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    struct timespec time = unmoved(deadline);
    return ((__typeof__(&sem_timedwait))dlsym(RTLD_NEXT, "sem_timedwait"))(semaphore, &time);
}
