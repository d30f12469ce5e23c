import People

/// Who makes a request over HTTP.
struct Asker: Sendable {
    /// `nil` where there are no users, and if nobody is identified.
    var speaker: Speaker?
    /// By what they were identified.
    var claim: Claim?
    /// The address of the other end; behind a proxy, what the proxy says it is.
    var address: String?
}
