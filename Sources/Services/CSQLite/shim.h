#include <sqlite3.h>

/// Lets a connection read a file from elsewhere: its schema can change nothing and call nothing that is unsafe, and no value is
/// over 64 MiB. sqlite3_db_config takes a variable number of arguments, which Swift cannot pass.
static inline void brasa_sqlite_distrust(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
}
