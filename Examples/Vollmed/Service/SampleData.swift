import Foundation
import GRDB

/// The five specialists of the courses' collection and a patient to sign in with.
extension VollmedService {
  /// Adds the sample people unless there is anyone already.
  package func addSampleData() async throws {
    guard try await database.read({ try SpecialistRecord.fetchCount($0) }) == 0 else { return }
    let hash = try await passwords.hash("senha123")
    let people = [
      ("João da Silva", "12345", "Cardiologia"), ("Maria Souza", "67890", "Ginecologia"),
      ("Pedro Oliveira", "54321", "Cardiologia"), ("Andréia Rodrigues", "98765", "Pediatria"),
      ("Rafael Silva", "24680", "Ortopedia"),
    ]
    let patient = PatientRecord(
      id: UUID().uuidString.lowercased(),
      cpf: "11111111111",
      name: "Lucas Pereira",
      email: "lucas@example.com",
      passwordHash: hash,
      phone: "11999990000",
      healthPlan: "Unimed"
    )
    try await database.write { database in
      for (name, crm, specialty) in people {
        try SpecialistRecord(
          id: UUID().uuidString.lowercased(),
          crm: crm,
          name: name,
          image: "/fotos/\(crm).png",
          specialty: specialty,
          email: "\(crm)@example.com",
          passwordHash: hash,
          phone: "1133330000"
        ).insert(database)
      }
      try patient.insert(database)
    }
  }
}
