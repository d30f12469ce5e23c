#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

/* Macros that Swift cannot read. */
static const unsigned long trilateral_device_up = HCIDEVUP;
static const unsigned long trilateral_device_down = HCIDEVDOWN;
static const unsigned long trilateral_device_reset = HCIDEVRESET;
static const unsigned long trilateral_device_list = HCIGETDEVLIST;
static const unsigned long trilateral_device_info = HCIGETDEVINFO;

/* Variadic, or with an array of open length. */
static inline int trilateral_control(int socket, unsigned long request, int device) {
    return ioctl(socket, request, device);
}

static inline int trilateral_describe(int socket, struct hci_dev_info *info) {
    return ioctl(socket, trilateral_device_info, info);
}

/* The numbers of the adapters, at most `most`; below 0 when the system refused. */
static inline int trilateral_adapters(int socket, uint16_t *numbers, int most) {
    struct {
        struct hci_dev_list_req list;
        struct hci_dev_req room[HCI_MAX_DEV];
    } request;
    request.list.dev_num = HCI_MAX_DEV;
    if (ioctl(socket, trilateral_device_list, &request) < 0) return -1;
    int count = request.list.dev_num < most ? request.list.dev_num : most;
    for (int index = 0; index < count; index++) numbers[index] = request.room[index].dev_id;
    return count;
}
