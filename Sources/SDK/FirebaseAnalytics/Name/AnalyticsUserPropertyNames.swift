// Names of user properties that reports know.

/// The property that says if advertisements may be chosen by the user's actions.
public let AnalyticsUserPropertyAllowAdPersonalizationSignals = "allow_personalized_ads"
/// The way in which the user signed up.
public let AnalyticsUserPropertySignUpMethod = "sign_up_method"
