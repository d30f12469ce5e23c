import Accounts
import Daemon
import HTTPListener
import JSON
import People
import Testing

/// Bodies of requests about rules that do not arrive as a whole.
@Suite(.timeLimit(.minutes(2)))
struct RuleBodyCutTests {
    private static let rule = Array(
        (#"{"title":"Küche","enabled":true,"pause":60,"when":[{"on":"state","thing":"fan","clause":"#
            + #"{"type":"range","field":"speed","lowerLimit":1.5e1}},{"on":"schedule","#
            + #""startTimeEachDay":"08:00:00","daysOfWeek":[1,7]}],"if":[{"level":["FULL","NONE"]}],"#
            + #""then":[{"set":{"on":true},"target":"thing:fan"},"#
            + #"{"publish":{"text":"\u00fc\n","list":[null,false,-1.5e-3]}}]}"#).utf8
    )

    private static func send(
        _ method: String,
        _ path: [String],
        _ body: some Sequence<UInt8>,
        query: [String: String] = [:],
        to home: TestRules
    ) async -> (status: Int, body: JSONValue) {
        let request = LocalRequest(method, ["api", "rules"] + path, query: query, body: Array(body))
        let api = RulesLocalAPI(home.service)
        let response = await api.answer(request, by: .user(home.owner), from: "192.0.2.1")
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    /// Sends a body cut off at each byte, of which none may count.
    private static func sendCuts(
        _ method: String,
        _ path: [String] = [],
        query: [String: String] = [:],
        to home: TestRules
    ) async {
        for count in rule.indices {
            let reply = await send(method, path, rule.prefix(count), query: query, to: home)
            let message = reply.body["message"]?.string ?? ""
            #expect(reply.status == 400 && reply.body["error"] == "bad_json", "\(count): \(reply)")
            #expect(message.hasPrefix("the body is no JSON: "), "\(count): \(message)")
            #expect(message.contains(" at byte "), "\(count): \(message)")
        }
    }

    @Test func `a rule that is cut off at any byte is not made, and the refusal says where it ends`()
        async throws
    {
        try await withRules { (home, _) async throws in
            await Self.sendCuts("POST", to: home)
            await Self.sendCuts("POST", query: ["test": "1"], to: home)
            #expect(try home.store.accounts.rules().isEmpty)
            let whole = await Self.send("POST", [], Self.rule, to: home)
            #expect(whole.status == 201 && whole.body["form"] == "rule", "\(whole)")
        }
    }

    @Test func `an edit that is cut off at any byte changes nothing`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.owner)
            #expect(made.status == 201)
            let before = try #require(try home.store.accounts.rule(slug: "simple"))
            await Self.sendCuts("PUT", ["simple"], to: home)
            #expect(try home.store.accounts.rule(slug: "simple") == before)
            let whole = await Self.send("PUT", ["simple"], Self.rule, to: home)
            #expect(whole.status == 200, "\(whole)")
            #expect(try home.store.accounts.rule(slug: "simple")?.body != before.body)
        }
    }
}
