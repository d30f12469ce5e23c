import People

/// Who makes a request over HTTP.
struct Asker: Sendable {
    /// `nil` where there are no users, and if nobody is identified.
    var speaker: Speaker?
    /// By what they were identified.
    var claim: Claim?
    /// The address of the other end; behind a proxy, what the proxy says it is.
    var address: String?
    /// Whether a browser is still signed in with the listener's own password; `nil` if it was not by that.
    var isSignedIn: (@Sendable () -> Bool)?

    /// Whether they still are who they were when the request began.
    func isCurrent(_ people: WebPeople?) -> Bool {
        guard isSignedIn?() ?? true else { return false }
        guard let people, let claim else { return true }
        return people.identify(claim) == speaker
    }

    /// Whether it was a session that told who they are, which can be ended.
    var hasSession: Bool {
        if case .session? = claim { return true }
        return isSignedIn != nil
    }

    /// Whether it is one user, and not whoever is let in.
    var isNamed: Bool {
        switch claim {
        case .session, .token, .vouched: true
        case .unnamed, .trusted, nil: false
        }
    }

    /// Whether it may be anybody on this machine.
    var isUnnamed: Bool { claim == .unnamed(.kiosk) }
}
