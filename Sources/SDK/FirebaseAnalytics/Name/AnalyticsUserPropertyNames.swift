// Names of user properties that reports know.

/// Whether advertisements may be chosen by what the user did.
public let AnalyticsUserPropertyAllowAdPersonalizationSignals = "allow_personalized_ads"
/// The way in which the user signed up.
public let AnalyticsUserPropertySignUpMethod = "sign_up_method"
