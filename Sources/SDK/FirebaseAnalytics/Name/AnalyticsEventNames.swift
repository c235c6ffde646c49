// Names of events that reports know. Their values are the sent names.

/// An advertisement was shown.
public let AnalyticsEventAdImpression = "ad_impression"
/// Payment details were entered.
public let AnalyticsEventAddPaymentInfo = "add_payment_info"
/// Shipping details were entered.
public let AnalyticsEventAddShippingInfo = "add_shipping_info"
/// An item was put into the cart.
public let AnalyticsEventAddToCart = "add_to_cart"
/// An item was put on the wish list.
public let AnalyticsEventAddToWishlist = "add_to_wishlist"
/// The app was opened.
public let AnalyticsEventAppOpen = "app_open"
/// A checkout began.
public let AnalyticsEventBeginCheckout = "begin_checkout"
/// The campaign that brought the user.
public let AnalyticsEventCampaignDetails = "campaign_details"
/// Virtual currency was earned.
public let AnalyticsEventEarnVirtualCurrency = "earn_virtual_currency"
/// A lead was won.
public let AnalyticsEventGenerateLead = "generate_lead"
/// The user joined a group.
public let AnalyticsEventJoinGroup = "join_group"
/// A level ended.
public let AnalyticsEventLevelEnd = "level_end"
/// A level began.
public let AnalyticsEventLevelStart = "level_start"
/// The user reached a level.
public let AnalyticsEventLevelUp = "level_up"
/// The user signed in.
public let AnalyticsEventLogin = "login"
/// A score was posted.
public let AnalyticsEventPostScore = "post_score"
/// A purchase was made.
public let AnalyticsEventPurchase = "purchase"
/// A purchase was refunded.
public let AnalyticsEventRefund = "refund"
/// An item was taken out of the cart.
public let AnalyticsEventRemoveFromCart = "remove_from_cart"
/// A screen was shown.
public let AnalyticsEventScreenView = "screen_view"
/// The user searched.
public let AnalyticsEventSearch = "search"
/// Content was selected.
public let AnalyticsEventSelectContent = "select_content"
/// An item of a list was selected.
public let AnalyticsEventSelectItem = "select_item"
/// A promotion was selected.
public let AnalyticsEventSelectPromotion = "select_promotion"
/// Content was shared.
public let AnalyticsEventShare = "share"
/// The user signed up.
public let AnalyticsEventSignUp = "sign_up"
/// Virtual currency was spent.
public let AnalyticsEventSpendVirtualCurrency = "spend_virtual_currency"
/// A tutorial began.
public let AnalyticsEventTutorialBegin = "tutorial_begin"
/// A tutorial was finished.
public let AnalyticsEventTutorialComplete = "tutorial_complete"
/// An achievement was unlocked.
public let AnalyticsEventUnlockAchievement = "unlock_achievement"
/// The cart was shown.
public let AnalyticsEventViewCart = "view_cart"
/// An item was shown.
public let AnalyticsEventViewItem = "view_item"
/// A list of items was shown.
public let AnalyticsEventViewItemList = "view_item_list"
/// A promotion was shown.
public let AnalyticsEventViewPromotion = "view_promotion"
/// The results of a search were shown.
public let AnalyticsEventViewSearchResults = "view_search_results"
