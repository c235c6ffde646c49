/// The project whose Remote Config is loaded, and its requests.
struct ConfigTarget: Sendable {
  let server: FileTarget
  let project: String

  /// The countries that conditions and clients name.
  static let countries = ["BR", "PT", "DE", "FR", "US", "IN", "JP", "MX", "IT", "ES"]

  /// An administrator's publish of a template.
  func publish(_ template: String) -> FileRequest {
    FileRequest(
      method: "PUT",
      path: "/v1/projects/\(project)/remoteConfig",
      headers: [
        (name: "Content-Type", value: "application/json"), (name: "If-Match", value: "*"),
      ],
      body: .bytes(Array(template.utf8)),
      keepsAnswer: true
    )
  }

  /// The fetch of a new client.
  func fetch(_ random: inout RandomSource) -> FileRequest {
    let country = Self.countries[random.below(Self.countries.count)]
    let body = """
      {"app_instance_id": "c\(random.documentID())_", "app_id": "1:42:ios:ab", \
      "country_code": "\(country)", "language_code": "pt-\(country)", "sdk_version": "12.0.0", \
      "app_version": "\(random.below(4)).\(random.below(20))", "platform_version": "26.1"}
      """
    return request("fetch", body)
  }

  /// Returns the request that opens a stream of new versions behind one.
  func stream(after version: Int) -> FileRequest {
    request(
      "streamFetchInvalidations",
      """
      {"project": "42", "namespace": "firebase", "lastKnownVersionNumber": "\(version)", \
      "appId": "1:42:ios:ab", "sdkVersion": "12.0.0", "appInstanceId": "cAbc-efghijklmnopqrst_"}
      """
    )
  }

  private func request(_ verb: String, _ body: String) -> FileRequest {
    FileRequest(
      method: "POST",
      path: "/v1/projects/\(project)/namespaces/firebase:\(verb)?key=\(project)",
      headers: [(name: "Content-Type", value: "application/json")],
      body: .bytes(Array(body.utf8))
    )
  }

  /// A template of so many parameters, each with a value for three of so many conditions.
  ///
  /// A third of the conditions is about countries, a third about versions, a third about percentages.
  static func template(parameters: Int, conditions: Int, revision: Int = 0) -> String {
    let conditionTexts = (0..<conditions).map { number in
      "{\"name\": \"c\(number)\", \"expression\": \"\(expression(number))\"}"
    }
    let parameterTexts = (0..<parameters).map { number in
      let values = (0..<min(3, conditions)).map { choice in
        "\"c\((number * 7 + choice * 11) % conditions)\": {\"value\": \"value \(number) \(choice)\"}"
      }
      return """
        "parameter_\(number)": {"defaultValue": {"value": "default \(number) \(revision)"}, \
        "conditionalValues": {\(Set(values).sorted().joined(separator: ", "))}}
        """
    }
    return """
      {"conditions": [\(conditionTexts.joined(separator: ", "))], \
      "parameters": {\(parameterTexts.joined(separator: ", "))}}
      """
  }

  private static func expression(_ number: Int) -> String {
    switch number % 3 {
    case 0: "device.country in ['\(countries[number / 3 % countries.count])']"
    case 1: "app.version.>=(['\(number % 4).\(number % 20)'])"
    default: "percent('seed\(number % 4)') <= \(number * 2 % 100)"
    }
  }
}
