// A disk that fails while a program has files open on it, for one program and without rights: preloaded, it refuses writes.
//
// FAULTS_DISK is the folder on that disk, FAULTS_DISK_ERROR a file with 4 bytes: the error of each write to it, 0 for none.
// The kernel makes no disk read-only that is open for writing, except after an error that loses what it had not written.
// Sources: open(2), pwrite(2), ld.so(8).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int none = 0;
static volatile int *fails = &none;
static const char *folder;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("FAULTS_DISK_ERROR");
    folder = getenv("FAULTS_DISK");
    int file = path && folder ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *fails, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) fails = page;
    close(file);
}

static int is_there(const char *path) { return folder && path && strncmp(path, folder, strlen(folder)) == 0; }

static int is_open_there(int file) {
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return is_there(path);
}

#define REFUSED(is_on_it) (*fails && (is_on_it) && (errno = *fails))

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    return REFUSED(is_open_there(file)) ? -1 : REAL(pwrite64)(file, bytes, size, at);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    return REFUSED(is_open_there(file)) ? -1 : REAL(pwrite)(file, bytes, size, at);
}
ssize_t write(int file, const void *bytes, size_t size) {
    return REFUSED(is_open_there(file)) ? -1 : REAL(write)(file, bytes, size);
}
int ftruncate64(int file, off64_t size) { return REFUSED(is_open_there(file)) ? -1 : REAL(ftruncate64)(file, size); }
int ftruncate(int file, off_t size) { return REFUSED(is_open_there(file)) ? -1 : REAL(ftruncate)(file, size); }
int fsync(int file) { return REFUSED(is_open_there(file)) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return REFUSED(is_open_there(file)) ? -1 : REAL(fdatasync)(file); }
int unlink(const char *path) { return REFUSED(is_there(path)) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return REFUSED(is_there(path)) ? -1 : REAL(mkdir)(path, mode); }
int rename(const char *from, const char *to) { return REFUSED(is_there(to)) ? -1 : REAL(rename)(from, to); }

// Open for reading is allowed.
#define OPEN(name)                                                                       \
    int name(const char *path, int flags, ...) {                                         \
        va_list more;                                                                    \
        va_start(more, flags);                                                           \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;          \
        va_end(more);                                                                    \
        if (REFUSED(is_there(path) && (flags & (O_WRONLY | O_RDWR | O_CREAT)))) return -1; \
        return REAL(name)(path, flags, mode);                                            \
    }
OPEN(open)
OPEN(open64)
