import GRDB

/// The tables.
///
/// Dates are seconds since 1970; tokens are stored as digests; a cancelled appointment keeps its
/// row, with the reason.
enum Schema {
  static var migrations: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE patient (
            id TEXT PRIMARY KEY, cpf TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            email TEXT NOT NULL UNIQUE COLLATE NOCASE, passwordHash TEXT NOT NULL,
            phone TEXT NOT NULL, healthPlan TEXT);
          CREATE TABLE specialist (
            id TEXT PRIMARY KEY, crm TEXT NOT NULL UNIQUE, name TEXT NOT NULL, image TEXT NOT NULL,
            specialty TEXT NOT NULL, email TEXT COLLATE NOCASE, passwordHash TEXT NOT NULL,
            phone TEXT);
          CREATE TABLE appointment (
            id TEXT PRIMARY KEY,
            specialistID TEXT NOT NULL REFERENCES specialist(id),
            patientID TEXT NOT NULL REFERENCES patient(id) ON DELETE CASCADE,
            date REAL NOT NULL, cancelReason TEXT, isCancelled BOOLEAN NOT NULL DEFAULT 0);
          CREATE INDEX appointmentOfPatient ON appointment(patientID, date);
          CREATE INDEX appointmentOfSpecialist ON appointment(specialistID, date);
          CREATE TABLE token (digest TEXT PRIMARY KEY, personID TEXT NOT NULL, expires REAL NOT NULL);
          """
      )
    }
    migrator.registerMigration("v2") { database in
      try database.execute(
        sql: "ALTER TABLE appointment ADD COLUMN isConfirmed BOOLEAN NOT NULL DEFAULT 0"
      )
    }
    return migrator
  }
}
