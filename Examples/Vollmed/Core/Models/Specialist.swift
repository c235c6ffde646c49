/// A doctor of the clinic.
package struct Specialist: Codable, Sendable, Equatable, Identifiable {
  package let id: String
  package let name: String
  package let crm: String
  package let imageURL: String
  package let specialty: String
  package let email: String
  package let phoneNumber: String

  private enum CodingKeys: String, CodingKey {
    case id, crm, email
    case name = "nome"
    case imageURL = "imagem"
    case specialty = "especialidade"
    case phoneNumber = "telefone"
  }

  package init(
    id: String,
    name: String,
    crm: String,
    imageURL: String,
    specialty: String,
    email: String,
    phoneNumber: String
  ) {
    self.id = id
    self.name = name
    self.crm = crm
    self.imageURL = imageURL
    self.specialty = specialty
    self.email = email
    self.phoneNumber = phoneNumber
  }
}
