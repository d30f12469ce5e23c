#pragma once
#include <sqlite3.h>

/// Stops the statistics of SQLite's memory, for which it takes a lock at each allocation; nobody reads them.
///
/// To be called before a database is opened. Swift cannot call sqlite3_config, which takes any number of arguments.
static inline void trilateral_stop_sqlite_statistics(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
