import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// The clinic's REST service.
///
///     POST   /auth/login              GET    /especialista         POST   /consulta
///     POST   /auth/logout             POST   /especialista         GET    /consulta
///     GET    /paciente                GET    /especialista/:id     GET    /consulta/:id
///     POST   /paciente                PUT    /especialista/:id     PATCH  /consulta/:id
///     GET    /paciente/:id            PATCH  /especialista/:id     DELETE /consulta/:id
///     GET    /paciente/:id/consultas  DELETE /especialista/:id     GET    /fotos/:name
///     PUT    /paciente/:id            POST   /consultas/agendar
///     DELETE /paciente/:id
///
/// Each group has a file of its own under `Routes/`; the rules are in `BookingRules`.
package struct VollmedService: Sendable {
  let database: DatabaseQueue
  let passwords: PasswordHash
  let clinic: Clinic
  let now: @Sendable () -> Date
  private let mock: MockRoutes?

  /// - Parameters:
  ///   - file: The SQLite file; nil keeps everything in memory.
  ///   - now: The clock that rules and tokens go by.
  ///   - mockFile: Routes answered from a file before the service sees them; see `MockRoutes`.
  package init(
    file: URL?,
    clinic: Clinic = .saoPaulo,
    passwords: PasswordHash = PasswordHash(),
    mockFile: URL? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    database = try ServiceDatabase.open(at: file, migrations: Schema.migrations)
    self.clinic = clinic
    self.passwords = passwords
    self.now = now
    mock = mockFile.map { MockRoutes(file: $0) }
  }

  package func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    if let mock { router.add(middleware: mock) }
    addLoginRoutes(to: router.group("auth"))
    addPatientRoutes(to: router.group("paciente"))
    addSpecialistRoutes(to: router.group("especialista"))
    addAppointmentRoutes(to: router.group("consulta"))
    addBookingExercise(to: router)
    router.get("fotos/:name", use: Photos.reply)
    return router
  }
}
