package import Things

extension RefusalCode {
    /// The corresponding HTTP status.
    ///
    /// An unknown object is 404; an unknown word in a value is 400 like any invalid value.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer"; 429, 500 and 502 from RFC
    ///   6585 and RFC 9110.
    package var httpStatus: Int {
        switch self {
        case .badJSON, .tooLarge, .unknownKey, .notSettable, .wrongType, .invalidValue, .outOfRange,
            .unknownColour:
            400
        case .unauthenticated: 401
        case .notAllowed: 403
        case .unknownThing, .unknownEnvironment, .noNearbyThing, .unknownAttribute, .unknownAction,
            .unknownVerb, .unknownScreen, .unknownDisplay, .unknownLanguage, .unknownCommand,
            .unknownRule:
            404
        case .retainedCommand, .staleTarget, .notEmpty, .superseded, .levelDenied, .notOnboarded,
            .alreadyOnboarded, .historyNotAvailable, .notNotifiable, .notSchedulable:
            409
        case .rateLimited: 429
        case .internalError: 500
        case .serverRejected: 502
        case .serverUnreachable, .thingOffline: 503
        case .timeout: 504
        }
    }
}
