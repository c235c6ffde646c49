import GRDB

/// A patient as stored.
///
/// The hash never leaves: replies are made of `PatientReply`.
struct PatientRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "patient"

  var id: String
  var cpf: String
  var name: String
  var email: String
  var passwordHash: String
  var phone: String
  var healthPlan: String?
}

/// A patient as the sign-up answers it: with the key of the password, always empty, for the courses'
/// app cannot read a patient without it.
struct NewPatientReply: Encodable {
  let record: PatientRecord

  private enum Key: String, CodingKey {
    case senha
  }

  func encode(to encoder: any Encoder) throws {
    try PatientReply(record).encode(to: encoder)
    var object = encoder.container(keyedBy: Key.self)
    try object.encode("", forKey: .senha)
  }
}

/// A patient as answered.
struct PatientReply: Encodable {
  let id: String
  let cpf: String
  let nome: String
  let email: String
  let telefone: String
  let planoSaude: String?

  init(_ record: PatientRecord) {
    id = record.id
    cpf = record.cpf
    nome = record.name
    email = record.email
    telefone = record.phone
    planoSaude = record.healthPlan
  }
}
