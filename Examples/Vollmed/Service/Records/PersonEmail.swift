import GRDB

/// The e-mail addresses of patients and specialists, who sign in by the same form.
enum PersonEmail {
  /// True where a patient or a specialist other than `id` has the address.
  static func isTaken(_ email: String, except id: String, in database: Database) throws -> Bool {
    let others = Column("email") == email && Column("id") != id
    return try !PatientRecord.filter(others).isEmpty(database)
      || !SpecialistRecord.filter(others).isEmpty(database)
  }
}
