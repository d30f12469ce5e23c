import Controller
import Flare
import Foundation
import JSON
import People
import Threading
@testable import Web

/// A listener with an owner, who is the caller without signing in, and bob, with grants.
enum Users {
    static let owner = AccountID(high: 0, low: 1)
    static let bob = AccountID(high: 0, low: 2)
    /// Who brings nothing.
    static let unnamed = Caller.user(owner, ceiling: .write)
    static let lamp = ObjectReference(.thing, FakeNode.lamp)

    /// Claims and who brings them; may change while the listener runs.
    final class Known: Sendable {
        let claims = Locked<[Claim: Caller]>([
            .unnamed(.kiosk): .user(owner, ceiling: .write), .trusted(.kiosk): .user(owner),
            .session("s1"): .user(bob), .token("tlu_bob"): .user(bob),
            .vouched("bob"): .user(bob),
        ])
        let asked = Locked<[AccountsRequest]>([])
        /// When claims end by themselves.
        let ends = Locked<[Claim: Int64]>([:])
        /// The claims that were looked up.
        let identified = Locked<[Claim]>([])
    }

    /// A node with an owner, and bob with these grants.
    static func node(_ grants: [(Access, Scope)]) throws -> FakeNode {
        let node = try FakeNode()
        grant(grants, node)
        node.change([]) {
            var kettle = FlareThing(id: FlareID(high: 3, low: 1))
            (kettle.name, kettle.zone) = ("Kettle", FakeNode.kitchen)
            $0.things[kettle.id] = kettle
            $0.slugs.restore("kettle", for: ObjectReference(.thing, kettle.id))
            var device = FlareDevice(id: FlareID(high: 9, low: 0))
            device.position = Point3D(x: 1, y: 1)
            ($0.device, $0.zoneID, $0.nearbyID) = (device, FakeNode.kitchen, FakeNode.lamp)
        }
        return node
    }

    static func grant(_ grants: [(Access, Scope)], _ node: FakeNode) {
        let table = table(grants)
        node.change([]) { $0.people = table }
    }

    /// The owner, and bob with these grants.
    static func table(_ grants: [(Access, Scope)]) -> AccessTable {
        let all = [Grant(id: 1, .user(owner), .own, .all)]
        let others = grants.enumerated().map { Grant(id: Int64($0 + 2), .user(bob), $1.0, $1.1) }
        let users = [User(id: owner, name: "owner"), User(id: bob, name: "bob")]
        return AccessTable(users: users, grants: all + others)
    }

    static func people(
        _ known: Known,
        isOpen: Bool = false,
        key: [UInt8]? = nil,
        proxy: WebPeople.Proxy? = nil,
        isForwarder: @escaping @Sendable (String) -> Bool = { _ in false },
        hasPassword: Bool = false
    ) -> WebPeople {
        WebPeople(
            identify: { claim in
                known.identified.withLock { $0.append(claim) }
                return known.claims.withLock { $0[claim] }
            },
            end: { claim in known.ends.withLock { $0[claim] } },
            handler: { request in
                known.asked.withLock { $0.append(request) }
                if request.path == ["session"], request.method == .post {
                    return AccountsResponse(200, ["user": "bob"], session: .begin("s1"))
                }
                if request.path == ["session"], request.method == .delete {
                    return AccountsResponse(204, session: .end)
                }
                if request.path == ["log"] { return .refusal(403, "not_allowed", "only owners read it") }
                return AccountsResponse(200, [:], retryAfter: 7)
            },
            isOpen: isOpen,
            key: key,
            proxy: proxy,
            isForwarder: isForwarder,
            password: hasPassword ? password : nil
        )
    }

    /// The listener's own password, "open sesame".
    private static let password = WebPeople.Password(
        cookie: SessionCookie(key: [UInt8](repeating: 7, count: 32), isSecure: false, isFramed: false)
    ) { text, _ in
        text == "open sesame" ? .right : .wrong
    }

    static func serve(
        _ grants: [(Access, Scope)] = [(.read, .thing(FakeNode.lamp))],
        _ known: Known = Known(),
        isOpen: Bool = false,
        proxy: WebPeople.Proxy? = nil,
        isForwarder: @escaping @Sendable (String) -> Bool = { _ in false },
        hasPassword: Bool = false,
        configure: (inout WebConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (Int, FakeNode) async throws -> Void
    ) async throws {
        let node = try node(grants)
        try await withWeb(
            node,
            configure,
            people: people(
                known,
                isOpen: isOpen,
                proxy: proxy,
                isForwarder: isForwarder,
                hasPassword: hasPassword
            )
        ) {
            try await body($0, node)
        }
    }

    static let session = ["Cookie: a=b; trilateral_session=s1"]
    static func basic(_ password: String) -> String {
        "Authorization: Basic " + Data("any:\(password)".utf8).base64EncodedString()
    }

    static let token = ["Authorization: Bearer tlu_bob"]
}
