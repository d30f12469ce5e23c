#pragma once
#include <sqlite3.h>

/// Sets how SQLite uses memory in this process.
///
/// To be called before a database is opened. Swift cannot call sqlite3_config, which takes any number of arguments.
static inline void trilateral_set_up_sqlite(void) {
    // Statistics take a lock at each allocation, and nobody reads them.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // What undoes half a statement is kept in small pieces in memory; by default it starts with 64 KB for each statement.
    sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}
