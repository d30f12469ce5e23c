/// A way in, for which the configuration names the caller without a claim.
package enum Interface: String, Sendable, Hashable, CaseIterable {
    case mqtt, kiosk, flare
}

/// What somebody brings to be recognized.
package enum Claim: Sendable, Hashable {
    /// Nothing. At the page and the Flare server that is everybody who has an account on this machine: they read and
    /// drive, and do not administer.
    case unnamed(Interface)
    /// Nothing of their own; the listener's password, a network that the configuration trusts, or the key beside the
    /// Flare server's database stands for them.
    case trusted(Interface)
    /// A token as its owner brings it; `named` is who the sender says they are, which must be true.
    case token(String, named: String? = nil)
    /// The text of a session, from a cookie.
    case session(String)
    /// The text of a session that the listener's own password began; as ``trusted(_:)`` while it lasts.
    case listenerSession(String)
    /// The name of a user for whom the interface itself vouches: by the broker for a topic, by a reverse proxy for a header.
    case vouched(String)
}

/// What a check of a password has found.
package enum PasswordVerdict: Sendable, Hashable {
    case right, wrong
    /// Nothing was checked: too many guesses were wrong, or too many wait.
    case limited(seconds: Int)
}

/// Finds who brings a claim, at once; `nil` if nobody is recognized.
///
/// What the caller may do is for the check to say, also whether the user is active.
package typealias Identify = @Sendable (Claim) -> Caller?
