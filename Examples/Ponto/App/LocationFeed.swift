#if canImport(SwiftUI) && canImport(CoreLocation)
import CoreLocation
import Observation
import PontoCore

/// The position of the device, while the clock shows; nil while it is unknown or not permitted.
@MainActor @Observable
final class LocationFeed {
  private(set) var place: Place?

  func follow() async {
    let manager = CLLocationManager()
    if manager.authorizationStatus == .notDetermined { manager.requestWhenInUseAuthorization() }
    do {
      for try await update in CLLocationUpdate.liveUpdates() {
        place = update.location.map {
          Place(latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude)
        }
      }
    } catch {
      place = nil
    }
  }
}
#endif
