// Makes a program believe that this machine has one Bluetooth adapter, whose packets come from the program
// `adapter`; loaded before it with LD_PRELOAD. BENCH_ADAPTER is the path of that program's socket.

#define _GNU_SOURCE
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char is_ours[1024];

static int ours(int descriptor) { return descriptor >= 0 && descriptor < 1024 && is_ours[descriptor]; }

int socket(int domain, int type, int protocol) {
    if (domain != AF_BLUETOOTH) return (int)syscall(SYS_socket, domain, type, protocol);
    // The other end stays open and silent: nothing happens to the adapter.
    int ends[2];
    int flags = type & (SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | flags, 0, ends)) return -1;
    if (ends[0] < 1024) is_ours[ends[0]] = 1;
    return ends[0];
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    if (!ours(descriptor)) return (int)syscall(SYS_bind, descriptor, address, length);
    if (((const struct sockaddr_hci *)address)->hci_dev == HCI_DEV_NONE) return 0;
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    strncpy(place.sun_path, getenv("BENCH_ADAPTER"), sizeof place.sun_path - 1);
    int link = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (link < 0 || connect(link, (struct sockaddr *)&place, sizeof place)) return -1;
    int result = dup3(link, descriptor, O_CLOEXEC);
    close(link);
    if (result < 0) return -1;
    int yes = 1;
    return (int)syscall(SYS_ioctl, descriptor, FIONBIO, &yes);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
    if (ours(descriptor) && level == SOL_HCI) return 0;
    return (int)syscall(SYS_setsockopt, descriptor, level, name, value, length);
}

int close(int descriptor) {
    if (ours(descriptor)) is_ours[descriptor] = 0;
    return (int)syscall(SYS_close, descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (!ours(descriptor) || request == FIONBIO) return (int)syscall(SYS_ioctl, descriptor, request, argument);
    if (request == HCIGETDEVLIST) {
        struct hci_dev_list_req *list = argument;
        list->dev_num = 1;
        list->dev_req[0].dev_id = 0;
        list->dev_req[0].dev_opt = 1 << HCI_UP;
        return 0;
    }
    if (request == HCIGETDEVINFO) {
        struct hci_dev_info *info = argument;
        memset(info, 0, sizeof *info);
        strcpy(info->name, "hci0");
        memcpy(&info->bdaddr, "\1\0\0\0\0\xC0", 6);
        info->flags = 1 << HCI_UP | 1 << HCI_RUNNING;
        info->features[4] = LMP_LE;
        return 0;
    }
    errno = ENODEV;
    return -1;
}
