#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
// What the connection's thread is woken by; Glibc's module leaves it out.
#include <sys/eventfd.h>
// GNU's own; Glibc's module leaves it out.
extern int dup3(int descriptor, int target, int flags);
