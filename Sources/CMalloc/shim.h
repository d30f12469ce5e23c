#pragma once
// The settings of the allocator; Glibc's module leaves them out.
#include <malloc.h>
