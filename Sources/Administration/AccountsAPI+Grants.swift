import Accounts
import JSON
import People

extension AccountsAPI {
    /// For who administers, and inside what somebody owns.
    func grants(_ call: AccountsCall) async throws(AccountsError) -> AccountsResponse {
        var grants = call.table.grants
        if let who = try call.query("of")["of"] {
            if !call.administers, who != call.ownName {
                // Nobody learns by it who there is.
                grants = grants.filter { call.table.name(of: $0.grantee) == who }
            } else {
                let grantee = try call.grantee(who)
                grants = grants.filter { $0.grantee == grantee }
            }
        }
        grants = await visible(grants, call)
        return AccountsResponse(200, .array(await json(grants, call.table).map { .object($0) }))
    }

    func addGrant(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "who", "scope", "access", "starts", "ends")
        let (who, text) = (try body.text("who"), try body.text("scope"))
        call.log("grant add", user: who)
        guard let access = try body.access("access") else { throw .badValue("access is missing") }
        let (starts, ends) = (try body.time("starts"), try body.time("ends"))
        let placed = try await scope(text, call)
        let authority = placed.authority(of: call)
        // Who may not give learns nothing about users.
        try authority.requireGiving(placed.scope, call.table)
        let grantee = try call.grantee(who)
        let grant = Grant(id: 0, grantee, access, placed.scope, starts: starts, ends: ends)
        let id = try change { try $0.addGrant(grant, by: authority) }
        var answer: JSONObject = ["id": JSONValue(Int(clamping: id))]
        answer["warning"] = await missingDevice(placed.scope, call).map { .string($0) }
        return AccountsResponse(201, .object(answer))
    }

    /// Removes a grant, or a share.
    ///
    /// - Parameter what: `grant` or `share`.
    func removeGrant(_ word: String, _ call: inout AccountsCall, _ what: String)
        async throws(AccountsError) -> AccountsResponse
    {
        call.log("\(what) rm", Int64(word).map(String.init))
        guard let id = Int64(word) else { throw .noRow(what, quoted(word)) }
        var authority = call.authority
        if let grant = call.table.grants.first(where: { $0.id == id }) {
            guard what == "grant" || grant.share, await !visible([grant], call).isEmpty else {
                throw .noRow(what, id)
            }
            authority = await placed(grant.scope).authority(of: call)
        } else if what != "grant" || !call.administers {
            throw .noRow(what, id)
        }
        try change { try $0.removeGrant(id, by: authority) }
        return .done
    }

    // MARK: Questions

    /// `grants/check`: for oneself, for who owns what is asked about, and for who administers.
    func checkGrant(_ call: AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let query = try call.query("user", "scope", "access", "at")
        guard let name = query["user"], let text = query["scope"], let word = query["access"] else {
            throw .badValue("user, scope and access are needed")
        }
        let access = try parseAccess(word)
        let at = try query["at"].map { text throws(AccountsError) in try parseTime(text) } ?? call.now
        let placed = try await scope(text, call)
        if call.ownName != name, !placed.mayBeGiven(by: call) { try call.requireAdministration() }
        let user = try call.receiver(named: name)
        guard let object = placed.object else { throw .unknown("there is no \(text)") }
        let verdict = call.table.verdict(of: .user(user.id), access, on: object, at: at)
        let missing = verdict.isGranted ? nil : await missingDevice(placed.scope, call)
        let answer = [verdict.description, missing].compactMap(\.self).joined(separator: "; ")
        return AccountsResponse(200, ["granted": .bool(verdict.isGranted), "text": .string(answer)])
    }
}
