import Flare
import HTTPListener
import HTTPTypes
package import People
import Text

/// A client over the network, as far as it is identified.
package struct FlareVisitor: Sendable, Hashable {
    /// What it brought; asked again for each change, as rights and tokens end.
    package let claim: Claim
    /// Its address.
    package let address: String?
    /// Whether it came through a proxy; `nil` if it is who it is wherever it comes from.
    let isForwarded: Bool?

    package init(_ claim: Claim, address: String? = nil, isForwarded: Bool? = nil) {
        (self.claim, self.address, self.isForwarded) = (claim, address, isForwarded)
    }
}

/// What a client may read.
///
/// The protocol has no partial view: who may read reads everything, or everything but devices.
package struct FlareRights: Sendable, Hashable {
    package var readsPlace: Bool
    package var readsDevices: Bool

    package init(readsPlace: Bool, readsDevices: Bool) {
        (self.readsPlace, self.readsDevices) = (readsPlace, readsDevices)
    }

    /// Whether all objects of a class may be read.
    func reads(_ kind: FlareClass) -> Bool { kind == .device ? readsDevices : readsPlace }

    package static let none = FlareRights(readsPlace: false, readsDevices: false)
    static let all = FlareRights(readsPlace: true, readsDevices: true)
}

/// Who may use the server over the network.
///
/// - Source: contrib/contract/people.md, "At the Flare server".
package struct FlareAccess: Sendable {
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// This machine needs no token to read and drive, trusted networks need none at all.
        case auto
        /// Everybody brings a token.
        case token
        /// Nobody needs one.
        case open
    }

    private let mode: Mode
    private let isTrusted: @Sendable (String) -> Bool
    private let identify: Identify
    /// What somebody may do now, by what they brought.
    let rights: @Sendable (Claim) -> FlareRights
    /// Whether somebody may see an object.
    let sees: @Sendable (Claim, AccessObject) -> Bool

    /// - Parameters:
    ///   - isTrusted: Whether a peer's address is in a trusted network.
    ///   - sees: Whether somebody may see an object. To others, a refused change is answered as for one that does not exist.
    package init(
        _ mode: Mode,
        isTrusted: @escaping @Sendable (String) -> Bool = { _ in false },
        identify: @escaping Identify,
        sees: @escaping @Sendable (Claim, AccessObject) -> Bool = { _, _ in true },
        rights: @escaping @Sendable (Claim) -> FlareRights
    ) {
        (self.mode, self.isTrusted, self.identify) = (mode, isTrusted, identify)
        (self.sees, self.rights) = (sees, rights)
    }

    /// Without users, every client may do everything.
    static let everybody = FlareAccess(.open, identify: { _ in .nobody }) { _ in .all }

    /// Whether whoever reaches it may do what the unsigned user may.
    var isOpen: Bool { mode == .open }

    /// The client of a request; `nil` if it is nobody.
    ///
    /// - Parameters:
    ///   - target: Path and query.
    ///   - peer: Its address.
    ///   - isForwarded: Whether it came through a proxy, which hides where it is.
    func visitor(
        authorization: String?,
        target: String,
        peer: String?,
        isForwarded: Bool
    ) -> FlareVisitor? {
        let claim: Claim
        let queried = Self.secret(inQueryOf: target)
        let secrets = [authorization.flatMap { AuthorizationHeader.secret(in: $0) }, queried]
        if let token = secrets.compactMap(\.self).first(where: Self.isToken) {
            claim = .token(token)
        } else {
            // Wrong credentials are an error, not the unnamed user.
            guard mode == .open || (authorization == nil && queried == nil),
                let unsigned = unsigned(peer, isForwarded)
            else { return nil }
            claim = unsigned
        }
        guard identify(claim) != nil else { return nil }
        return FlareVisitor(claim, address: peer, isForwarded: isForwarded)
    }

    /// Whether somebody who was let in would be nobody, or somebody else, by now: the token has ended, the user is off, or
    /// another configuration asks for a token.
    func isGone(_ visitor: FlareVisitor) -> Bool {
        guard identify(visitor.claim) != nil else { return true }
        guard let isForwarded = visitor.isForwarded else { return false }
        switch visitor.claim {
        case .unnamed, .trusted: return unsigned(visitor.address, isForwarded) != visitor.claim
        default: return false
        }
    }

    /// What somebody without a token is; `nil` for nobody.
    private func unsigned(_ peer: String?, _ isForwarded: Bool) -> Claim? {
        switch mode {
        case .open: return .trusted(.flare)
        case .token: return nil
        case .auto:
            guard let peer, !isForwarded else { return nil }
            if isTrusted(peer) { return .trusted(.flare) }
            return Self.isOwnMachine(peer) ? .unnamed(.flare) : nil
        }
    }

    /// Whether a peer is a program on this machine: it has a loopback address, or the address that it is connected to.
    package static func isOwnMachine(_ peer: String?, connectedTo own: String? = nil) -> Bool {
        guard let peer else { return false }
        return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.") || peer == own
    }

    /// Other credentials, as for a proxy in front, are none here.
    private static func isToken(_ text: String) -> Bool {
        text.hasPrefix(SecretMask.tokenPrefix) && text.utf8.count <= 200
    }

    private static func secret(inQueryOf target: String) -> String? {
        let name = "access_token="
        // A token needs no percent-encoding.
        return RequestTarget(target).parameters.prefix(50).first { $0.hasPrefix(name) }
            .map { String($0.dropFirst(name.count)) }
    }
}

extension FlareAccess {
    func visitor(of request: HTTPRequest, from peer: String?) -> FlareVisitor? {
        let fields = request.headerFields
        return visitor(
            authorization: fields[.authorization],
            target: request.path ?? "/",
            peer: peer,
            isForwarded: fields.isForwarded
        )
    }
}
