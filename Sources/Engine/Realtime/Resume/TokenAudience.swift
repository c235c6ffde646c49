/// The targets that a token is for.
enum TokenAudience: Hashable {
  /// There must be no token.
  case nobody
  /// The targets of these marks, rising.
  case marks([SubjectMark])
  /// More targets than a token names.
  case everybody

  /// The current ones of a stream's targets.
  init(_ targets: some Collection<Target>) {
    if targets.count > ResumeToken.greatestMarkCount {
      self = targets.contains(where: \.isCurrent) ? .everybody : .nobody
      return
    }
    let marks = Set(targets.lazy.filter(\.isCurrent).map(\.view.mark))
    self = marks.isEmpty ? .nobody : .marks(marks.sorted())
  }
}
