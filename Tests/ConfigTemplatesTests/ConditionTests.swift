import Testing

@testable import ConfigTemplates

/// Tests of the cases in which conditions are true.
@Suite struct ConditionTests {
  /// A client of Brazil with something in every attribute.
  private static var client: ConfigClient {
    var client = ConfigClient()
    client.appID = "1:42:ios:ab"
    client.installationID = "cFid_1"
    client.appVersion = "1.10.2"
    client.appBuild = "77"
    client.country = "br"
    client.language = "pt_BR"
    client.userProperties = ["level": "12", "name": "Ana Á.", "odd": "0x10"]
    client.customSignals = ["city": "São Paulo", "speed": "2.5", "release": "3.0"]
    client.firstOpenTime = 1_700_000_000_000_000
    client.userAgent =
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
      + "Chrome/120.0.0.0 Safari/537.36"
    return client
  }

  private static func holds(
    _ expression: String,
    for client: ConfigClient = client,
    audiences: Set<String>? = ["a", "b"],
    at now: Int64 = 1_800_000_000_000_000
  ) throws -> Bool {
    var reading = ConfigClient.Reading(client, audiences: audiences)
    return try CompiledCondition(expression).holds(for: &reading, at: now)
  }

  @Test(arguments: [
    ("true", true), ("false", false), ("true && false", false), ("true && true", true),
    ("percent<=100&&device.os=='ios'&&app.version.>=(['1'])&&true", true), ("true&&false", false),
    ("app.id == '1:42:ios:ab'", true), ("app.id == '1:42:ios:ac'", false),
    ("device.os == 'ios'", true), ("device.os == 'android'", false),
    ("device.country in ['US', 'BR']", true), ("device.country in ['US']", false),
    ("device.language in ['pt-BR']", true), ("device.language in ['pt']", true),
    ("device.language in ['pt-PT']", false), ("device.language in ['p']", false),
    ("app.firebaseInstallationId in ['cFid_1']", true),
    ("firebaseInstallationId in ['x', 'y']", false),
    ("app.version.>=(['1.10'])", true), ("app.version.<(['1.9'])", false),
    ("app.version.==(['1.10.2.0'])", true), ("app.version.=(['1.10.2'])", true),
    ("app.version.!=(['1.10.2', '2'])", false), ("app.version.>([1.9])", true),
    ("app.version.contains(['0.2', 'x'])", true), ("app.version.notContains(['0.2'])", false),
    ("app.version.matches(['^1\\.1\\d\\.'])", true), ("app.version.matches(['^10'])", false),
    ("app.build.exactlyMatches([' 77 '])", true), ("app.build.<=(['76'])", false),
    ("app.userProperty['level'] >= 12", true), ("app.userProperty['level'] < 12.0", false),
    ("app.userProperty['level'] != 3 && app.userProperty['level'] == 12", true),
    ("app.userProperty['odd'] == 16", false), ("app.userProperty['odd'] != 5", false),
    ("app.userProperty['name'].contains(['Á'])", true),
    ("app.userProperty['name'].contains(['A\u{301}'])", false),
    ("app.customSignal['city'].exactlyMatches(['São Paulo'])", true),
    ("app.customSignal[\"speed\"] > 2.4", true), ("app.customSignal['speed'] > -1", true),
    ("version(app.customSignal['release']) >= '2.9.9'", true),
    ("app.customSignal['release'].<(['3'])", false),
    ("app.audiences.inAtLeastOne(['a', 'z'])", true), ("app.audiences.inAll(['a', 'z'])", false),
    ("app.audiences.notInAtLeastOne(['a', 'z'])", true), ("app.audiences.notInAll(['z'])", true),
    ("app.audiences.notInAll(['a', 'z'])", false),
    ("app.firstOpenTimestamp <= ('2023-11-14T22:13:20')", true),
    ("app.firstOpenTimestamp > ('2023-11-14T22:13:20', 'America/Sao_Paulo')", false),
    ("dateTime < dateTime('2027-01-15T08:00:00')", false),
    ("dateTime >= dateTime('2027-01-15T08:00:00', 'UTC')", true),
    ("device.dateTime < dateTime('2027-01-15T08:00:00', 'America/Sao_Paulo')", true),
    ("percent <= 100", true), ("percent > 100", false), ("percent('s') between 0 and 100", true),
    (
      "app.operatingSystemAndVersion.inAtLeastOne([operatingSystemName('Macintosh').version"
        + ".>=([10.15])])",
      true
    ),
    ("app.browserAndVersion.inAtLeastOne([browserName('Chrome').version.>=([121])])", false),
    ("app.browserAndVersion.inAtLeastOne([browserName('Safari').version.>([1])])", false),
  ])
  func `a condition is true of a client or not`(_ expression: String, _ expected: Bool) throws {
    #expect(try Self.holds(expression) == expected, "\(expression)")
  }

  @Test(arguments: [
    "app.id == ''", "device.os == 'ios'", "device.country in ['BR']", "device.language in ['']",
    "app.firebaseInstallationId in ['']", "app.version.!=(['1'])", "app.version.notContains(['1'])",
    "app.build.<(['1'])", "app.userProperty['level'] != 1", "app.userProperty['x'].matches([''])",
    "app.customSignal['city'].notContains(['x'])", "version(app.customSignal['x']) != '1'",
    "app.audiences.notInAll(['x'])", "app.firstOpenTimestamp > ('2000-01-01T00:00:00')",
    "percent > 0", "percent <= 100", "percent('s') between 0 and 100",
    "app.browserAndVersion.inAtLeastOne([browserName('Chrome').version.!=([1])])",
  ])
  func `what a client does not say makes every operator false`(_ expression: String) throws {
    #expect(try !Self.holds(expression, for: ConfigClient(), audiences: nil), "\(expression)")
  }

  @Test(arguments: [
    ("", 1), ("device.os = 'ios' ||", 11), ("true || false", 6), ("!true", 1), ("(true)", 1),
    ("true &&", 8), ("true true", 6), ("device.os == ios", 14), ("device.color == 'x'", 8),
    ("app.version >= '1'", 13), ("app.version.>=(['x'])", 17), ("percent <= 101", 12),
    ("percent <= 1.1234567", 12), ("percent < 5", 9), ("percent between 20 and 10", 24),
    ("app.version.like(['x'])", 13), ("app.version.matches(['('])", 13),
    ("dateTime < dateTime('2025-02-30T00:00:00')", 21),
    ("dateTime < dateTime('2025-01-01T00:00:00', 'Mars/Base')", 21),
    ("device.country in []", 20), ("device.country in ['a'", 23), ("app.id == 'x", 11), ("é", 1),
    ("country == 'BR'", 1), ("app.audiences.in(['x'])", 15),
  ])
  func `an error says at which column it is`(_ expression: String, _ column: Int) {
    let error = #expect(throws: ConditionError.self) { try CompiledCondition(expression) }
    #expect(error?.column == column, "\(expression): \(error?.message ?? "")")
  }

  @Test func `wall clocks that repeat or skip an hour have one instant`() {
    // São Paulo ended its daylight saving time on 2019-02-17 at 00:00, which became 23:00.
    let twice = ZonedTime.instant("2019-02-16T23:30:00", zone: "America/Sao_Paulo")
    #expect(twice == 1_550_367_000_000_000)
    // It began on 2018-11-04 at 00:00, which became 01:00.
    let skipped = ZonedTime.instant("2018-11-04T00:30:00", zone: "America/Sao_Paulo")
    let later = ZonedTime.instant("2018-11-04T01:30:00", zone: "America/Sao_Paulo")
    #expect(skipped == later)
    #expect(later == 1_541_302_200_000_000)
    #expect(ZonedTime.instant("1969-12-31T23:59:59", zone: "UTC") == -1_000_000)
    #expect(ZonedTime.instant("2024-02-29T12:00", zone: "UTC") == 1_709_208_000_000_000)
  }

  @Test func `a time condition names the instant at which it changes`() throws {
    let text =
      "dateTime >= dateTime('2027-01-15T08:00:00') && dateTime <= dateTime('2027-01-15T09:00:00')"
    let condition = try CompiledCondition(text)
    let start: Int64 = 1_800_000_000_000_000
    #expect(condition.nextChange(after: start - 1) == start)
    #expect(condition.nextChange(after: start) == start + 3_600_000_001)
    #expect(condition.nextChange(after: start + 3_600_000_001) == nil)
    #expect(try Self.holds(text, at: start))
    #expect(try Self.holds(text, at: start + 3_600_000_000))
    #expect(try !Self.holds(text, at: start + 3_600_000_001))
  }
}
