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

    /// Whether it may be anybody on this machine.
    var isUnnamed: Bool { claim == .unnamed(.kiosk) }
}
