import FirebaseCore
import Testing

@Suite struct DeviceLocaleTests {
  private static let cases: [([String: String], String?, String?)] = [
    (["LANG": "pt_BR.UTF-8"], "pt-BR", "BR"),
    (["LANG": "en_US.UTF-8", "LC_ALL": "pt_BR"], "pt-BR", "BR"),
    (["LANG": "en_US.UTF-8", "LC_MESSAGES": "de_DE@euro"], "de-DE", "DE"),
    (["LANG": "eo", "LC_ALL": ""], "eo", nil),
    (["LANG": "C.UTF-8"], nil, nil),
    (["LANG": "POSIX"], nil, nil),
    ([:], nil, nil),
  ]

  @Test(arguments: cases)
  func `language and country are those of the environment`(
    environment: [String: String],
    language: String?,
    country: String?
  ) {
    let locale = DeviceLocale(environment: environment)
    #expect(locale.language == language)
    #expect(locale.country == country)
  }
}
