import BaseText

/// One request to try on rules, with everything that they may ask for.
package struct RulesTest: Sendable {
  /// The service whose match blocks are tried.
  package var service: RulesService
  /// The operation, which becomes `request.method`.
  package var method: RulesMethod
  /// The whole path: `databases`, the database's id, `documents` and so on.
  package var path: [Text]
  /// Members of `request` beside `method` and `path`: `auth`, `time`, `resource` and so on.
  package var request: [Text: RulesValue]
  /// `resource`; null where the request finds nothing.
  package var resource: RulesValue

  /// A request to try.
  package init(
    service: RulesService,
    method: RulesMethod,
    path: [Text],
    request: [Text: RulesValue],
    resource: RulesValue
  ) {
    self.service = service
    self.method = method
    self.path = path
    self.request = request
    self.resource = resource
  }
}

extension RulesSession {
  /// Judges a request that is given as rules see it.
  package func evaluate(_ test: RulesTest) throws -> RulesDecision {
    var members = test.request
    members["method"] = .string(Text(test.method.rawValue))
    members["path"] = .path(RulesPath(plain: test.path))
    begin(limit: test.service == .storage ? 2 : RulesLimits.accessCalls)
    let evaluator = Evaluator(
      session: self,
      request: .map(RulesMap(members)),
      resource: test.resource
    )
    return try counting {
      try decide(test.service, test.method, evaluator, observing: true) { $0.match(test.path) }
    }
  }
}
