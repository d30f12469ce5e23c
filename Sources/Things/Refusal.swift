/// Why a command was refused, for programs.
/// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer".
package enum RefusalCode: String, Sendable, Hashable, CaseIterable {
    case badJSON = "bad_json"
    case tooLarge = "too_large"
    case unknownKey = "unknown_key"
    case unknownThing = "unknown_thing"
    case unknownEnvironment = "unknown_environment"
    case noNearbyThing = "no_nearby_thing"
    case unknownAttribute = "unknown_attribute"
    case notSettable = "not_settable"
    case wrongType = "wrong_type"
    case invalidValue = "invalid_value"
    case outOfRange = "out_of_range"
    case unknownColour = "unknown_colour"
    case unknownAction = "unknown_action"
    case unknownVerb = "unknown_verb"
    case unknownScreen = "unknown_screen"
    case unknownDisplay = "unknown_display"
    case unknownLanguage = "unknown_language"
    case unknownCommand = "unknown_command"
    case unknownRule = "unknown_rule"
    case retainedCommand = "retained_command"
    case staleTarget = "stale_target"
    /// It cannot be removed alone.
    case notEmpty = "not_empty"
    case serverUnreachable = "server_unreachable"
    case serverRejected = "server_rejected"
    case timeout
    case superseded
    case rateLimited = "rate_limited"
    /// Nobody is identified as the sender, although users are.
    case unauthenticated
    case notAllowed = "not_allowed"
    case levelDenied = "level_denied"
    /// The thing has no owner yet; or the instance of an app has no thing.
    case notOnboarded = "not_onboarded"
    /// The instance of an app has a thing already; or what is to come is there.
    case alreadyOnboarded = "already_onboarded"
    /// The thing has no owner, or no interval.
    case historyNotAvailable = "history_not_available"
    /// A thing with a link of its own is offline, or has not answered in time.
    case thingOffline = "thing_offline"
    /// A rule notifies of a property whose profile does not allow that.
    case notNotifiable = "not_notifiable"
    /// A schedule sets a property whose profile does not allow that.
    case notSchedulable = "not_schedulable"
    case internalError = "internal"
}

/// A refused command or field: a code for programs, and a sentence for people that says what is wrong and
/// what is legal.
package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let code: RefusalCode
    package let message: String
    /// The field at fault, if it is a single one.
    package let field: String?

    package init(_ code: RefusalCode, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    package var description: String { message }
}
