import GRDB

/// A specialist as stored.
///
/// A photo of ours is kept as a path, so that it survives a new address.
struct SpecialistRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "specialist"

  var id: String
  var crm: String
  var name: String
  var image: String
  var specialty: String
  var email: String?
  var passwordHash: String
  var phone: String?
}

/// A specialist as answered, with a photo address that the asker can follow.
struct SpecialistReply: Encodable {
  let id: String
  let nome: String
  let crm: String
  let imagem: String
  let especialidade: String
  let email: String
  let telefone: String

  /// - Parameter host: The `Host` that the request named.
  init(_ record: SpecialistRecord, host: String) {
    id = record.id
    nome = record.name
    crm = record.crm
    imagem = record.image.hasPrefix("/") ? "http://\(host)\(record.image)" : record.image
    especialidade = record.specialty
    email = record.email ?? ""
    telefone = record.phone ?? ""
  }
}
