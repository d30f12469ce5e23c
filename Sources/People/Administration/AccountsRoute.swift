package import Text

/// A path below `/api/` that ``AccountsHandler`` answers, and by which methods.
///
/// Whoever takes requests answers these paths and no others, so the API's description and its test see all of them.
package struct AccountsRoute: Sendable, Hashable {
    /// Without `/api/`, as `users/{user}/password`.
    package let template: PathTemplate
    package let methods: [AccountsRequest.Method]
    /// Whether nobody needs to be identified.
    package let isPublic: Bool
    /// Whether only the local socket has it, not the web listener.
    package let isLocal: Bool

    private init(
        _ template: String,
        _ methods: AccountsRequest.Method...,
        isPublic: Bool = false,
        isLocal: Bool = false
    ) {
        (self.template, self.methods) = (PathTemplate(template), methods)
        (self.isPublic, self.isLocal) = (isPublic, isLocal)
    }

    package static let table = [
        AccountsRoute("session", .get, .post, .delete, isPublic: true),
        AccountsRoute("sign-in", .post, isPublic: true), AccountsRoute("sign-out", .post, isPublic: true),
        AccountsRoute("sign-up", .post, isPublic: true), AccountsRoute("forgot", .post, isPublic: true),
        AccountsRoute("verify", .post, isPublic: true), AccountsRoute("sign-in-links", .post, isLocal: true),
        AccountsRoute("me", .get, .patch), AccountsRoute("me/password", .put),
        AccountsRoute("users", .get, .post), AccountsRoute("users/{user}", .patch, .delete),
        AccountsRoute("users/{user}/password", .put), AccountsRoute("groups", .get, .post),
        AccountsRoute("groups/{group}", .delete), AccountsRoute("groups/{group}/members", .post),
        AccountsRoute("groups/{group}/leave", .post), AccountsRoute("grants/check", .get),
        AccountsRoute("grants", .get, .post), AccountsRoute("grants/{grant}", .delete),
        AccountsRoute("shares", .get, .post), AccountsRoute("shares/{share}", .delete),
        AccountsRoute("shares/{share}/accept", .post), AccountsRoute("contacts", .get, .post),
        AccountsRoute("contacts/{contact}", .delete), AccountsRoute("tokens", .get, .post),
        AccountsRoute("tokens/{token}", .delete), AccountsRoute("sessions", .get),
        AccountsRoute("sessions/{session}", .delete), AccountsRoute("log", .get),
    ]

    /// The first one that a path fits; `nil` if nothing answers there.
    ///
    /// - Parameter path: What follows `/api/`, decoded.
    package init?(_ path: [String]) {
        guard let found = Self.table.first(where: { $0.template.values(in: path) != nil }) else { return nil }
        self = found
    }
}
