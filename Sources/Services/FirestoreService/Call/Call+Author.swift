import DocumentStore

extension Call {
  /// The principal of the call's commits, for events.
  var author: CommitAuthor {
    let depth = context.eventDepth
    switch caller {
    case .user(let user): return CommitAuthor(.user, id: user.uid.string, depth: depth)
    case .administrator, .projectAdministrator:
      return CommitAuthor(.administrator, id: context.actor?.administrator?.email, depth: depth)
    case .nobody: return CommitAuthor(.nobody, depth: depth)
    }
  }
}
