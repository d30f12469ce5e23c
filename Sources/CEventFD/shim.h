#pragma once
// Descriptors that threads use to wake each other; the Glibc module leaves them out.
#include <sys/eventfd.h>
