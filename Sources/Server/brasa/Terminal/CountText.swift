extension Int {
  /// The number with what it counts: `1 document`, `2 documents`, `2 indexes`.
  func counting(_ noun: String, plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
