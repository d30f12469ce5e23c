/// Who gives an order or asks for something.
package enum Caller: Sendable, Hashable {
    /// The configuration's own ties, as of real lamps; unchecked.
    case nobody
    /// A user; a token may allow less than its user has.
    case user(AccountID, ceiling: Access?)

    package static func user(_ id: AccountID) -> Caller { .user(id, ceiling: nil) }
}
