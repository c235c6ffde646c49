import Foundation
import RESTClient

/// The app's dependencies: the clinic's services, the clock and the place.
package struct VollmedEnvironment: Sendable {
  package let homeService: any HomeService
  package let authentication: any AuthenticationService
  package let appointments: any AppointmentService
  package let timeZone: TimeZone
  package let clock: any Clock<Duration>
  package let now: @Sendable () -> Date

  package init(
    homeService: any HomeService,
    authentication: any AuthenticationService,
    appointments: any AppointmentService,
    timeZone: TimeZone = .current,
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.homeService = homeService
    self.authentication = authentication
    self.appointments = appointments
    self.timeZone = timeZone
    self.clock = clock
    self.now = now
  }

  /// The environment for a clinic that lives at `address`.
  @MainActor
  package static func live(
    address: URL,
    session: Session,
    timeZone: TimeZone = .current,
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> VollmedEnvironment {
    let client = HTTPClient(
      baseURL: address,
      interceptors: [BearerAuthorization(source: session), Retry()]
    )
    return VollmedEnvironment(
      homeService: NetworkHomeService(client: client),
      authentication: NetworkAuthenticationService(client: client),
      appointments: NetworkAppointmentService(client: client),
      timeZone: timeZone,
      clock: clock,
      now: now
    )
  }
}
