#pragma once

// What Swift cannot have from Glibc's module: a timer that tells that the clock was set.
//
// Compiled C, and no header of the system's here: <sys/timerfd.h> defines the structures of <time.h> once more, and they
// would belong to this module or to Glibc's, whichever is read first.

/// A descriptor that becomes readable when the wall clock is set; below 0, with errno, when there is none.
int trilateral_clock_monitor(void);

/// Lets the descriptor wait for the next time at which the clock is set.
///
/// Returns 0, or below 0 with errno. ECANCELED is no failure: the clock was set since the last time, and it waits
/// nevertheless.
int trilateral_clock_monitor_arm(int descriptor);
