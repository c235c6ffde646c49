/// The reasons for the end of deliveries, as metrics count them: a bounded set, since some reasons
/// are texts of push services.
enum CountedReason: String, Sendable, CaseIterable {
  case mailboxFull = "mailbox_full"
  case frequencyCap = "frequency_cap"
  case notConnected = "not_connected"
  case timePassed = "time_passed"
  case withdrawn
  case unsubscribed
  case addressChanged = "address_changed"
  case noCredentials = "no_credentials"
  case unauthorized
  case tooLarge = "too_large"
  case activityEnded = "activity_ended"
  /// The push service knows the address no more.
  case addressGone = "address_gone"
  case goneBeforeRenewal = "gone_before_renewal"
  case unregistered
  case replaced
  case stale
  case erased
  case installationDeleted = "installation_deleted"
  /// The push service's own text, or the reason why it could not be reached.
  case other

  /// The kind of a reason as deliveries have it.
  init(_ reason: String) {
    let words = reason.replacing("-", with: "_")
    self =
      switch words {
      case "apns_gone", "webpush_gone": .addressGone
      case "PayloadTooLarge", "the payload is larger than 3993 bytes",
        "the payload is too large for the push service":
        .tooLarge
      case _ where reason.hasPrefix("unauthorized:"): .unauthorized
      default: CountedReason(rawValue: words) ?? .other
      }
  }
}
