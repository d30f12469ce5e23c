import People

/// On whose account an event stream is open, or a display is attached.
enum StreamHolder: Sendable, Hashable {
    /// Whoever administers.
    case owner
    /// Whoever reaches the page without signing in, where that counts as somebody who administers.
    case unnamed
    case user(AccountID)
}

/// Who reads event streams and attaches displays.
struct Audience: Sendable, Hashable {
    static let owner = Audience(holder: .owner, isWatching: true)

    let holder: StreamHolder
    /// Whether the lifecycle follows their displays: only for who may drive something or see devices, which is what
    /// its level is about.
    let isWatching: Bool
}

/// A display as one user calls it: another user's display of the same name is another one.
struct DisplayName: Sendable, Hashable {
    let id: String
    let audience: Audience

    init(_ id: String, of audience: Audience = .owner) { (self.id, self.audience) = (id, audience) }

    /// As the lifecycle knows it; displays of other interfaces have other prefixes.
    var lifecycleID: String {
        switch audience.holder {
        case .owner, .unnamed: "web/\(id)"
        case .user(let user): "web-\(user)/\(id)"
        }
    }
}

/// How many streams or displays each user may have, so that nobody uses up what all share.
struct Share: Sendable {
    private let maximum: Int

    init(of maximum: Int) { self.maximum = maximum }

    /// The most of one user.
    var ofOneUser: Int { max(1, maximum / 4) }

    /// Whether there may be one more.
    ///
    /// - Parameters:
    ///   - all: How many there are.
    ///   - own: How many of them are the holder's.
    func admits(_ holder: StreamHolder, all: Int, own: Int) -> Bool {
        switch holder {
        case .owner: all < maximum
        // The last eighth is for who administers.
        case .unnamed: all < maximum - maximum / 8
        case .user: all < maximum - maximum / 8 && own < ofOneUser
        }
    }
}
