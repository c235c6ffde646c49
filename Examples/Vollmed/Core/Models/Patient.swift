/// The form that a person fills in to become a patient.
package struct NewPatient: Encodable, Sendable, Equatable {
  package var cpf: String
  package var name: String
  package var email: String
  package var password: String
  package var phoneNumber: String
  package var healthPlan: String

  private enum CodingKeys: String, CodingKey {
    case cpf, email
    case name = "nome"
    case password = "senha"
    case phoneNumber = "telefone"
    case healthPlan = "planoSaude"
  }

  package init(
    cpf: String,
    name: String,
    email: String,
    password: String,
    phoneNumber: String,
    healthPlan: String
  ) {
    self.cpf = cpf
    self.name = name
    self.email = email
    self.password = password
    self.phoneNumber = phoneNumber
    self.healthPlan = healthPlan
  }
}

/// The plans that the sign-up form offers.
package enum HealthPlan {
  package static let all = [
    "Amil", "Unimed", "Bradesco Saúde", "SulAmérica", "Hapvida", "Notredame Intermédica",
    "São Francisco Saúde", "Golden Cross", "Medial Saúde", "América Saúde", "Outro",
  ]
}
