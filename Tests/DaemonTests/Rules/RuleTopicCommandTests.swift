import Accounts
import Controller
import JSON
import Messages
import People
import Rules
import Testing
import Things

@testable import Daemon

/// Rules are switched and run by messages on the broker.
@Suite(.timeLimit(.minutes(2)))
struct RuleTopicCommandTests {
    private func decode(_ tail: String, _ payload: String, isRetained: Bool = false) throws -> DecodedCommand
    {
        let topic = try #require(CommandTable.program.topic(tail[...]))
        return CommandDecoder().decode(topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    private func command(_ tail: String, _ payload: String) throws -> RuleTopicCommand? {
        try decode(tail, payload).result.get().base as? RuleTopicCommand
    }

    // MARK: Payloads

    @Test(
        arguments: [
            ("ON", true), ("OFF", false), (" off\n", false), ("true", true), (#""on""#, true),
            (#"{"state":"OFF"}"#, false), (#"{"state":true,"tx":"7"}"#, true),
            (#"{"state":"ON","token":"t","as":"bob"}"#, true),
        ]
    )
    func `a rule is switched by a word, or by the member state`(payload: String, isOn: Bool) throws {
        #expect(
            try command("rules/night/set", payload)
                == RuleTopicCommand(rule: "night", work: .turn(isOn: isOn))
        )
    }

    @Test(arguments: ["", "{}", #"{"tx":1}"#, #"{"token":"t"}"#])
    func `a rule is run by an empty message, or by reserved members alone`(payload: String) throws {
        #expect(try command("rules/7/run", payload) == RuleTopicCommand(rule: "7", work: .run))
    }

    private static let bad: [(String, String, RefusalCode)] = [
        ("set", "", .invalidValue), ("set", "TOGGLE", .invalidValue), ("set", "1", .invalidValue),
        ("set", "{}", .invalidValue), ("set", #"{"state":"MAYBE"}"#, .invalidValue),
        ("set", #"{"state":1}"#, .wrongType), ("set", #"{"state":null}"#, .wrongType),
        ("set", "[true]", .wrongType), ("set", #"{"state":"ON","rule":"x"}"#, .unknownKey),
        ("set", #"{"state":"ON","token":7}"#, .wrongType), ("set", #"{"state":"#, .badJSON),
        ("set", #"{"state":"ON","tx":{}}"#, .wrongType),
        ("set", String(repeating: "x", count: 70_000), .tooLarge),
        ("run", "PRESS", .badJSON), ("run", "1", .wrongType), ("run", "[]", .wrongType),
        ("run", #"{"state":"ON"}"#, .unknownKey), ("run", #"{"at":"#, .badJSON),
    ]

    @Test(arguments: bad)
    func `anything else is refused`(verb: String, payload: String, code: RefusalCode) throws {
        let decoded = try decode("rules/night/\(verb)", payload)
        #expect(decoded.subject == .set)
        guard case .failure(let refusal) = decoded.result else {
            Issue.record("it was read: \(payload)")
            return
        }
        #expect(refusal.code == code, "\(refusal)")
    }

    @Test(arguments: ["set", "run"])
    func `a message that the broker had kept does nothing`(verb: String) throws {
        let decoded = try decode("rules/night/\(verb)", verb == "set" ? "ON" : "", isRetained: true)
        guard case .failure(let refusal) = decoded.result else {
            Issue.record("a retained command was read")
            return
        }
        #expect(refusal.code == .retainedCommand)
    }

    @Test func `what rules publish is no command`() {
        for tail in ["rules/night", "rules/night/fired", "rules/night/out", "rules/night/set/state"] {
            #expect(CommandTable.program.topic(tail[...]) == nil, "\(tail)")
        }
    }

    // MARK: In the node

    private func message(_ work: RuleTopicCommand.Work, ticket: Int, caller: Caller?) -> ControllerEvent {
        .commandReceived(
            Command(
                ticket: ticket,
                operation: Command.Operation(RuleTopicCommand(rule: "rule-1", work: work)),
                tx: "t",
                caller: caller,
                source: "B/rules/rule-1/set"
            )
        )
    }

    @Test func `a command waits for the service, and is answered with what came of it`() throws {
        var bench = RuleBench()
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        bench.send(message(.turn(isOn: false), ticket: 5, caller: .user(RuleBench.maker)))
        #expect(bench.changes.contains(.ruleAsked(1)) && bench.answers.isEmpty)
        let request = try #require(bench.rules.request(1))
        #expect(request.caller == .user(RuleBench.maker) && request.command.work == .turn(isOn: false))
        bench.send(.switched(1, isOn: false))
        bench.send(.settled(1, slug: "rule-1", nil))
        bench.send(.settled(1, slug: "rule-1", nil))
        #expect(bench.answers.count == 1 && bench.rules.request(1) == nil)
        let answer = try #require(bench.answers.first)
        #expect(answer.ticket == 5 && answer.tx == "t" && answer.accepted == ["state": "OFF"])
        #expect(answer.target == Answer.Target(kind: "rule", slug: "rule-1") && answer.refusal == nil)
        let row = try #require(bench.logged.last)
        #expect(row.operation?.base.logName == "rule off" && row.source == "B/rules/rule-1/set")
    }

    @Test func `a refusal of the service is the answer`() throws {
        var bench = RuleBench()
        bench.load()
        bench.send(message(.run, ticket: 1, caller: .user(RuleBench.maker)))
        bench.send(.settled(1, slug: nil, Refusal(.unknownRule, "there is no such rule", field: "rule")))
        let answer = try #require(bench.answers.first)
        #expect(answer.refusal?.code == .unknownRule && answer.target == nil && answer.accepted.isEmpty)
    }

    @Test func `who is not identified is refused at once`() {
        var bench = RuleBench()
        bench.load()
        bench.send(message(.run, ticket: 1, caller: nil))
        #expect(bench.answers.map(\.refusal?.code) == [.unauthenticated] && bench.rules.asked.isEmpty)
    }

    @Test func `a daemon that stops answers what waits, in its order`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        for ticket in 1...12 {
            bench.send(message(.run, ticket: ticket, caller: .user(RuleBench.maker)))
        }
        bench.send(.stopBegun)
        #expect(bench.answers.map(\.ticket) == Array(1...12))
        #expect(bench.answers.allSatisfy { $0.refusal?.code == .timeout })
    }

    @Test func `of too many commands the last ones are refused`() {
        var bench = RuleBench()
        bench.load()
        for ticket in 1...1001 {
            bench.send(message(.run, ticket: ticket, caller: .user(RuleBench.maker)))
        }
        #expect(bench.answers.map(\.ticket) == [1001])
        #expect(bench.answers.first?.refusal?.code == .rateLimited)
    }

    // MARK: In the service

    private func request(
        _ rule: String,
        _ work: RuleTopicCommand.Work,
        _ user: AccountID,
        _ ceiling: Access? = nil
    ) -> RulesSlice.Request {
        RulesSlice.Request(
            number: 1,
            command: RuleTopicCommand(rule: rule, work: work),
            caller: .user(user, ceiling: ceiling)
        )
    }

    @Test func `its maker and who owns everything switch a rule, and to others it is not there`() async throws
    {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple("Mine"), as: home.bob)
            #expect(made.status == 201, "\(made.body)")
            let off = await home.service.carryOut(request("mine", .turn(isOn: false), home.bob))
            #expect(off.slug == "mine" && off.refusal == nil)
            #expect(try home.store.accounts.rule(slug: "mine")?.isEnabled == false)
            let on = await home.service.carryOut(request("1", .turn(isOn: true), home.owner))
            #expect(on.slug == "mine" && on.refusal == nil)
            #expect(try home.store.accounts.rule(slug: "mine")?.isEnabled == true)
            let hidden = await home.service.carryOut(request("mine", .run, home.carol))
            #expect(hidden.slug == nil && hidden.refusal?.code == .unknownRule)
            let absent = await home.service.carryOut(request("nothing", .run, home.owner))
            #expect(absent.slug == nil && absent.refusal?.code == .unknownRule)
            let read = await home.service.carryOut(request("mine", .run, home.bob, .read))
            #expect(read.slug == "mine" && read.refusal?.code == .notAllowed)
            let run = await home.service.carryOut(request("mine", .run, home.bob))
            #expect(run.slug == "mine" && run.refusal == nil)
            let fired = home.engine.outputs.contains { if case .fired = $0 { true } else { false } }
            #expect(fired)
        }
    }

    @Test func `the service leaves the log of commands from the broker to the node`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple("Mine"), as: home.bob)
            _ = await home.service.carryOut(request("mine", .turn(isOn: false), home.bob))
            _ = await home.service.carryOut(request("mine", .run, home.carol))
            _ = await home.ask("POST", "mine/on", as: home.bob)
            try home.accounts.flush()
            let kinds = try home.store.accounts.log().map(\.kind)
            #expect(kinds.contains("rule on") && !kinds.contains("rule off") && !kinds.contains("rule run"))
        }
    }
}
