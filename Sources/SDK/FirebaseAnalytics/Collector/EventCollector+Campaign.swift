import Foundation

// The campaign that brought a user by a link.

extension EventCollector {
  private static let parameters = [
    "utm_source": AnalyticsParameterSource, "utm_medium": AnalyticsParameterMedium,
    "utm_campaign": AnalyticsParameterCampaign, "utm_id": AnalyticsParameterCampaignID,
    "utm_term": AnalyticsParameterTerm, "utm_content": AnalyticsParameterContent,
    "aclid": AnalyticsParameterAdNetworkClickID, "cp1": AnalyticsParameterCP1,
  ]

  /// Logs the campaign of a link; a link without source, medium and campaign has none.
  package func logCampaign(of url: URL) {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    var params: [String: Any] = [:]
    for item in items {
      guard let name = Self.parameters[item.name], let value = item.value, !value.isEmpty else {
        continue
      }
      params[name] = value
    }
    let required = [
      AnalyticsParameterSource, AnalyticsParameterMedium, AnalyticsParameterCampaign,
    ]
    guard required.contains(where: { params[$0] != nil }) else { return }
    logEvent(AnalyticsEventCampaignDetails, params)
  }
}
