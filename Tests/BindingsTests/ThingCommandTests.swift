import Bindings
import JSON
import People
import SeededRandom
import Testing
import Things

struct ThingCommandTests {
    private static let thing = BindingID(high: 1, low: 2)
    private static let owner = Grantee.user(AccountID(high: 1, low: 1))

    private static func command(_ actions: Int = 2) -> ThingCommand {
        let actions = (0..<actions).map { CommandAction("a\($0)", JSONValue($0)) }
        return ThingCommand(
            "c-1",
            of: thing,
            CommandRequest(actions, schema: "lamp", schemaVersion: 1, title: "Evening"),
            issuer: owner,
            created: 1000,
            deadline: 61_000
        )
    }

    private static func result(_ index: Int, _ isSucceeded: Bool = true) -> ActionResult {
        ActionResult(
            "a\(index)",
            isSucceeded: isSucceeded,
            errorMessage: isSucceeded ? nil : "wrong_type: no"
        )
    }

    @Test func `a command whose actions succeed is done`() {
        var command = Self.command()
        #expect(command.apply(.delivered, at: 1001) == [.store])
        #expect(command.state == .delivered)
        #expect(command.apply(.answered(1, Self.result(1)), at: 1002) == [.store])
        #expect(command.state == .delivered)
        #expect(command.apply(.answered(0, Self.result(0)), at: 1003) == [.store, .end])
        #expect(command.state == .done)
        #expect(command.modified == 1003)
        #expect(command.actionResults == [Self.result(0), Self.result(1)])
    }

    @Test func `a command with one failed action is incomplete`() {
        var command = Self.command()
        #expect(
            command.apply(.reported([Self.result(0), Self.result(1, false)]), at: 1002) == [.store, .end]
        )
        #expect(command.state == .incomplete)
        #expect(
            command.answer.description == #"""
                {"actionResults":[{"a0":{"succeeded":true}},{"a1":{"errorMessage":"wrong_type: no","succeeded":false}}],"commandID":"c-1","state":"INCOMPLETE"}
                """#
        )
    }

    @Test func `a command that nobody answers is incomplete, with the reason of each action`() {
        var command = Self.command()
        #expect(command.actionResults == nil)
        #expect(command.apply(.answered(0, Self.result(0)), at: 1002) == [.store])
        #expect(command.apply(.due, at: 61_000) == [.store, .end])
        #expect(command.state == .incomplete)
        #expect(command.actionResults?.map(\.isSucceeded) == [true, false])
        #expect(command.actionResults?.last?.errorMessage == "timeout: the thing did not answer within 60 s")
    }

    @Test func `the thing reads what is settled before the end, and null for what it is to answer`() {
        var command = Self.command()
        #expect(command.jsonForThing["actionResults"] == nil)
        _ = command.apply(.answered(1, Self.result(1, false)), at: 1002)
        #expect(command.json["actionResults"] == nil)
        #expect(command.jsonForThing["actionResults"]?.array?.first == .null)
        #expect(command.jsonForThing["actionResults"]?.array?.last == Self.result(1, false).json)
        _ = command.apply(.answered(0, Self.result(0)), at: 1003)
        #expect(command.jsonForThing == command.json)
    }

    @Test func `a late result still counts, and ends nothing twice`() {
        var command = Self.command()
        _ = command.apply(.due, at: 61_000)
        #expect(command.apply(.answered(1, Self.result(1)), at: 62_000) == [.store])
        #expect(command.state == .incomplete)
        #expect(command.actionResults?.map(\.isSucceeded) == [false, true])
        #expect(command.apply(.answered(0, Self.result(0)), at: 63_000) == [.store])
        #expect(command.state == .done)
        #expect(command.apply(.due, at: 64_000) == [])
        #expect(command.apply(.restarted, at: 64_000) == [])
    }

    @Test func `what is sent to a thing that is offline is incomplete at once`() {
        var command = Self.command(1)
        #expect(command.apply(.offline, at: 1000) == [.store, .end])
        #expect(command.actionResults?.first?.errorMessage?.hasPrefix("thing_offline: ") == true)
        var delivered = Self.command(1)
        _ = delivered.apply(.delivered, at: 1000)
        #expect(delivered.apply(.offline, at: 1001) == [])
        #expect(delivered.state == .delivered)
    }

    @Test func `a result whose name only looks alike is of another action`() {
        var command = ThingCommand(
            "c-1",
            of: Self.thing,
            CommandRequest([CommandAction("é", true)]),
            issuer: Self.owner,
            created: 1000,
            deadline: 61_000
        )
        let other = ActionResult("e\u{301}", isSucceeded: true)
        #expect(command.apply(.answered(0, other), at: 1001) == [])
        #expect(command.state == .sending)
    }

    @Test
    func `a result twice, too late, of another name or in another order changes nothing that is settled`() {
        for seed in UInt64(0)..<1000 {
            var random = SplitMix64(seed: seed)
            let count = 1 + random.number(below: 4)
            var command = Self.command(count)
            var ends = 0
            for time in Int64(0)..<30 {
                let before = command
                let effects = command.apply(Self.event(&random, count), at: time)
                ends += effects.count { $0 == .end }
                #expect(effects.isEmpty == (before == command), "seed \(seed)")
                for (index, result) in before.results.enumerated() {
                    guard let result else { continue }
                    #expect(command.results[index] == result, "seed \(seed)")
                }
                for (index, result) in command.results.enumerated() {
                    #expect(result == nil || result?.name == "a\(index)", "seed \(seed)")
                }
                let isAnswered = command.results.allSatisfy { $0 != nil }
                let isDone = isAnswered && command.results.allSatisfy { $0?.isSucceeded == true }
                #expect((command.state == .done) == isDone, "seed \(seed)")
                #expect(!isAnswered || !command.state.isOpen, "seed \(seed)")
                #expect(before.state.isOpen || !command.state.isOpen, "seed \(seed)")
            }
            #expect(ends == (command.state.isOpen ? 0 : 1), "seed \(seed)")
        }
    }

    private static func event(_ random: inout SplitMix64, _ count: Int) -> ThingCommand.Event {
        switch random.number(below: 12) {
        case 0: .delivered
        case 1: .due
        case 2: .offline
        case 3: .restarted
        case 4:
            .reported(
                (0..<random.number(below: 6)).map { result($0, random.chance(2)) }.shuffled(using: &random)
            )
        default:
            .answered(
                random.number(below: count + 3) - 1,
                result(random.number(below: count + 1), random.chance(2))
            )
        }
    }

    @Test func `a command has all members that programs know`() {
        var command = Self.command(1)
        #expect(
            command.json == [
                "commandID": "c-1", "target": .string("thing:\(Self.thing)"),
                "issuer": .string("\(Self.owner)"),
                "schema": "lamp", "schemaVersion": 1, "actions": [["a0": 0]], "commandState": "SENDING",
                "createdAt": 1000, "modifiedAt": 1000, "title": "Evening",
            ]
        )
        _ = command.apply(.answered(0, ActionResult("a0", isSucceeded: true, data: [1])), at: 2000)
        #expect(command.json["actionResults"] == [["a0": ["succeeded": true, "data": [1]]]])
        #expect(command.json["commandState"] == "DONE")
        #expect(command.json["modifiedAt"] == 2000)
    }

    @Test func `a stored command goes on where it was`() {
        var command = Self.command()
        _ = command.apply(.answered(0, Self.result(0)), at: 2000)
        let stored = ThingCommand(
            command.id,
            of: command.thing,
            command.request,
            issuer: command.issuer,
            created: command.created,
            deadline: command.deadline,
            state: command.state,
            results: command.results,
            cause: command.cause,
            modified: command.modified
        )
        #expect(stored == command)
    }

    // MARK: Results

    private static let actions = [CommandAction("a0", 0), CommandAction("a1", 1)]

    @Test func `results are read in the order of the actions`() throws {
        let json: JSONValue = [
            "actionResults": [
                ["a0": ["succeeded": true, "data": ["x": 1]]],
                ["a1": ["succeeded": false, "errorMessage": "no"]],
            ]
        ]
        let results = try ActionResult.results(json, of: Self.actions)
        #expect(
            results == [
                ActionResult("a0", isSucceeded: true, data: ["x": 1]),
                ActionResult("a1", isSucceeded: false, errorMessage: "no"),
            ]
        )
    }

    @Test(arguments: [
        ("{}", "actionResults is missing"),
        (#"{"actionResults":7}"#, "actionResults must be a list of 2 results"),
        (#"{"actionResults":[{"a0":{"succeeded":true}}]}"#, "actionResults must be a list of 2 results"),
        (
            #"{"actionResults":[{"a1":{"succeeded":true}},{"a0":{"succeeded":true}}]}"#,
            "actionResults[0].a1 is unknown"
        ),
        (#"{"actionResults":[{"a0":{"succeeded":true}},{}]}"#, "actionResults[1].a1 is missing"),
        (#"{"actionResults":[{"a0":{}},{"a1":{}}]}"#, "actionResults[0].a0.succeeded is missing"),
        (#"{"actionResults":[{"a0":true},{"a1":{}}]}"#, "actionResults[0].a0 must be an object"),
        (
            #"{"actionResults":[{"a0":{"succeeded":1}},{"a1":{}}]}"#,
            "actionResults[0].a0.succeeded must be true"
        ),
    ])
    func `results that are not the command's are refused`(text: String, sentence: String) throws {
        let json = try JSONValue(parsing: text)
        let refusal = #expect(throws: Refusal.self) { try ActionResult.results(json, of: Self.actions) }
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
    }

    @Test func `results that are too long or too deep are refused`() {
        func json(_ data: JSONValue) -> JSONValue {
            ["actionResults": [["a0": ["succeeded": true, "data": data]]]]
        }
        let actions = [CommandAction("a0", 0)]
        let long = json(.string(String(repeating: "x", count: 64_512)))
        #expect(
            #expect(throws: Refusal.self) { try ActionResult.results(long, of: actions) }?.code == .tooLarge
        )
        let deep = json((0..<16).reduce(JSONValue.null) { value, _ in [value] })
        #expect(throws: Refusal.self) { try ActionResult.results(deep, of: actions) }
    }

    @Test func `a refused action says why`() {
        let result = ActionResult("a0", refused: .refused(Refusal(.outOfRange, "brightness must be 0 to 1")))
        #expect(
            result.json == [
                "a0": ["succeeded": false, "errorMessage": "out_of_range: brightness must be 0 to 1"]
            ]
        )
    }
}
