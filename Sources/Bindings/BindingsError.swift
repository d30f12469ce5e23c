package import Things

/// Why something of a binding was refused.
///
/// - Source: contrib/contract/bindings.md, "Refusals".
package enum BindingsError: Error, Sendable, Hashable {
    case refused(Refusal)
    /// The thing has no owner yet; or the instance no thing.
    case notOnboarded(String)
    /// The instance has a thing already, or the thing that is to come is there.
    case alreadyOnboarded(String)
    /// The thing has no interval or no owner.
    case historyNotAvailable(String)
    /// The thing has reported that it is offline.
    case thingOffline(String)

    /// The same as every interface has it.
    package var refusal: Refusal {
        switch self {
        case .refused(let refusal): refusal
        case .notOnboarded(let message): Refusal(.notOnboarded, message)
        case .alreadyOnboarded(let message): Refusal(.alreadyOnboarded, message)
        case .historyNotAvailable(let message): Refusal(.historyNotAvailable, message)
        case .thingOffline(let message): Refusal(.thingOffline, message)
        }
    }

    /// The code for programs.
    package var code: String { refusal.code.rawValue }

    /// The sentence for people.
    package var message: String { refusal.message }
}

extension BindingsError: CustomStringConvertible {
    package var description: String { message }
}
