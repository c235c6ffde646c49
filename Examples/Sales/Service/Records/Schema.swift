import GRDB

/// The tables.
///
/// A product belongs to its owner's identifier, so it follows a change of e-mail. A grant is one
/// sign-in: its tokens are stored as digests only.
enum Schema {
  static var migrations: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE user (
            id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE COLLATE NOCASE,
            passwordHash TEXT NOT NULL, gcmRegId TEXT, role TEXT NOT NULL,
            enabled BOOLEAN NOT NULL);
          CREATE TABLE product (
            id INTEGER PRIMARY KEY, ownerID INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
            name TEXT NOT NULL, description TEXT, code TEXT NOT NULL, price REAL NOT NULL,
            quantity INTEGER NOT NULL, UNIQUE (ownerID, code));
          CREATE TABLE purchase (
            id INTEGER PRIMARY KEY, email TEXT NOT NULL COLLATE NOCASE, freightPrice REAL NOT NULL);
          CREATE INDEX purchaseOfEmail ON purchase(email);
          CREATE TABLE purchaseItem (
            id INTEGER PRIMARY KEY, productID INTEGER NOT NULL,
            orderID INTEGER NOT NULL REFERENCES purchase(id) ON DELETE CASCADE);
          CREATE TABLE grantedToken (
            id TEXT PRIMARY KEY, userID INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
            serial INTEGER NOT NULL, accessDigest TEXT NOT NULL UNIQUE, accessExpires REAL NOT NULL,
            refreshDigest TEXT NOT NULL UNIQUE, refreshExpires REAL NOT NULL);
          """
      )
    }
    migrator.registerMigration("v2") { database in
      try database.execute(
        sql: """
          ALTER TABLE user ADD COLUMN lastGCMRegister REAL;
          ALTER TABLE purchase ADD COLUMN status TEXT NOT NULL DEFAULT 'CREATED';
          """
      )
    }
    return migrator
  }
}
