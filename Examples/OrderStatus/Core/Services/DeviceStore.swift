import RESTClient

/// Keeps the device's state in memory and in a store.
@MainActor
final class DeviceStore {
  private let store: any CredentialStore
  private(set) var state: DeviceState

  init(_ store: any CredentialStore) {
    self.store = store
    do {
      state = try store.value(DeviceState.self) ?? DeviceState()
    } catch {
      // A store that cannot be read, as before a phone is unlocked, is like a new device.
      state = DeviceState()
    }
  }

  /// Changes the state; what cannot be written lasts as long as the program.
  func change(_ body: (inout DeviceState) -> Void) {
    let before = state
    body(&state)
    guard state != before else { return }
    do {
      try store.keep(state)
    } catch {
      // The disk is full, or locked: the next change tries again.
    }
  }
}
