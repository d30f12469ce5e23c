package import Things

/// Why something of a binding was refused.
///
/// - Source: contrib/contract/bindings.md, "Refusals".
package enum BindingsError: Error, Sendable, Hashable {
    case refused(Refusal)
    /// The thing has no owner yet; or the instance no thing.
    case notOnboarded(String)
    /// The instance has a thing already.
    case alreadyOnboarded(String)
    /// The thing has no interval or no owner.
    case historyNotAvailable(String)
    /// The thing has reported that it is offline.
    case thingOffline(String)

    /// The code for programs.
    package var code: String {
        switch self {
        case .refused(let refusal): refusal.code.rawValue
        case .notOnboarded: "not_onboarded"
        case .alreadyOnboarded: "already_onboarded"
        case .historyNotAvailable: "history_not_available"
        case .thingOffline: "thing_offline"
        }
    }

    /// The sentence for people.
    package var message: String {
        switch self {
        case .refused(let refusal): refusal.message
        case .notOnboarded(let message), .alreadyOnboarded(let message), .historyNotAvailable(let message),
            .thingOffline(let message):
            message
        }
    }
}

extension BindingsError: CustomStringConvertible {
    package var description: String { message }
}
