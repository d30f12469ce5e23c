import Accounts
import JSON
import People

extension AccountsAPI {
    func acceptShare(_ word: String, _ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        call.log("share accept", Int64(word).map(String.init))
        _ = try AccountsBody(call.request.body ?? [:])
        guard let id = Int64(word) else { throw .noRow("share", quoted(word)) }
        try change { try $0.acceptShare(id, by: call.authority) }
        return .done
    }

    /// Those that somebody gave and got; all for who administers.
    func shares(_ call: AccountsCall) async -> AccountsResponse {
        let shares = await visible(call.table.grants.filter(\.share), call)
        let rows = await json(shares, call.table).map { row in
            var row = row
            row["user"] = row["who"]
            row["thing"] = .string(String((row["scope"]?.string ?? "").dropFirst("thing:".count)))
            return JSONValue.object(row)
        }
        return AccountsResponse(200, .array(rows))
    }

    func addShare(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "thing", "access", "starts", "ends")
        let (name, word) = (try body.text("user"), try body.text("thing"))
        call.log("share add", user: name)
        let access = try body.access("access") ?? .read
        let (starts, ends) = (try body.time("starts"), try body.time("ends"))
        let placed = try await scope(word.hasPrefix("thing:") ? word : "thing:\(word)", call)
        guard case .thing(let thing) = placed.scope else {
            throw .unknown("there is no thing \(quoted(word))")
        }
        let authority = placed.authority(of: call)
        try authority.requireGiving(placed.scope, call.table)
        let user = try call.receiver(named: name)
        let share = Share(thing, with: user.id, access, starts: starts, ends: ends)
        let id = try change { try $0.addShare(share, by: authority) }
        return AccountsResponse(201, ["id": JSONValue(Int(clamping: id))])
    }
}
