import Foundation
import JSON
import TestSupport
import Testing

/// The verbs about things with owners: what they send to the daemon, what they print, and how they end.
@Suite(.timeLimit(.minutes(2))) struct BindingVerbTests {
    private static let id = "th.00000000000000000000000000000001"

    /// Words as a person types them; `PASSWORD` stands for the path of a file with one.
    private static func words(_ text: String, password: String) -> [String] {
        text.split(separator: " ").map { word in
            switch word {
            case "PASSWORD": password
            case "''": ""
            default: String(word)
            }
        }
    }

    // MARK: Commands

    @Test(arguments: [true, false])
    func `a command prints a line for each action, and its exit code says whether all succeeded`(isDone: Bool)
        async throws
    {
        try await withVerbDesk { desk in
            let failed: JSONValue = ["succeeded": false, "errorMessage": "unknown_action: no such action"]
            let results: JSONValue = [
                ["brightness": ["succeeded": true]], ["dance": isDone ? ["succeeded": true] : failed],
            ]
            let state: JSONValue = isDone ? "DONE" : "INCOMPLETE"
            let answers: JSONValue = ["commandState": state, "actionResults": results]
            try await desk.withDaemon([
                "POST bindings/v-1/commands": .init(201, ["commandID": "c.1"]),
                "GET bindings/v-1/commands/c.1": .init(200, answers),
            ]) {
                let end = try await desk.run([
                    "thing", "command", "v-1", "brightness=0.4", "dance", "--tag", "panel",
                ])
                #expect(end.status == (isDone ? 0 : 1))
                let last = isDone ? "ok dance" : "failed dance: unknown_action: no such action"
                #expect(end.output == "ok brightness\n\(last)\n")
            }
            #expect(
                desk.sent.first
                    == .init(
                        "POST bindings/v-1/commands",
                        ["actions": [["brightness": 0.4], ["dance": true]], "tag": "panel"]
                    )
            )
        }
    }

    // MARK: Onboarding

    @Test func `onboarding sends what was given, and prints the thingID and the token, a line each`()
        async throws
    {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret-of-v1\n", to: "password")
            let answer: JSONValue = ["thingID": .string(Self.id), "accessToken": "tlt_abc"]
            try await desk.withDaemon(["POST bindings/onboard": .init(200, answer)]) {
                let end = try await desk.run([
                    "thing", "onboard", "--vendor-thing-id", "v-1", "--password-file", password, "--owner",
                    "bob", "--type", "meter", "--properties", #"{"name":"Meter","size":2}"#, "--interval",
                    "INTERVAL_15_MINUTES", "--thing", "desk-lamp", "--zone", "kitchen", "--tag", "app",
                ])
                #expect(end.status == 0)
                #expect(end.output == "\(Self.id)\ntlt_abc\n")
            }
            #expect(
                desk.sent == [
                    .init(
                        "POST bindings/onboard",
                        [
                            "vendorThingID": "v-1", "thingPassword": "s3cret-of-v1", "owner": "user:bob",
                            "thingType": "meter", "thingProperties": ["name": "Meter", "size": 2],
                            "dataGroupingInterval": "15_MINUTES", "thing": "desk-lamp", "zone": "kitchen",
                            "tag": "app",
                        ]
                    )
                ]
            )
        }
    }

    @Test func `a thing that has a token prints its thingID alone, and what stayed as it was is a warning`()
        async throws
    {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret", to: "password")
            let answer: JSONValue = [
                "thingID": .string(Self.id), "ignored": ["thingType", "interval", "_made"],
            ]
            try await desk.withDaemon(["POST bindings/onboard": .init(200, answer)]) {
                let end = try await desk.run([
                    "thing", "onboard", "--thing-id", Self.id, "--password-file", password, "--owner",
                    "group:staff", "--tag", "-",
                ])
                #expect(end.status == 0)
                #expect(end.output.hasPrefix("\(Self.id)\ntrilateral thing onboard: warning: not changed"))
                #expect(end.output.hasSuffix(": --type, --interval, _made\n"), "\(end.output)")
            }
            #expect(
                desk.sent.map(\.body) == [
                    [
                        "thingID": .string(Self.id), "thingPassword": "s3cret", "owner": "group:staff",
                        "tag": "",
                    ]
                ]
            )
        }
    }

    @Test func `a password file that everybody can read is a warning, and the password is never repeated`()
        async throws
    {
        try await withVerbDesk { desk in
            let open = try desk.write("s3cret", to: "open", mode: 0o644)
            try await desk.withDaemon([
                "POST bindings/onboard": .refused(403, "not_allowed", "the password is wrong")
            ]) {
                let end = try await desk.run([
                    "thing", "onboard", "--vendor-thing-id", "v-1", "--password-file", open,
                ])
                #expect(end.status == 1)
                #expect(end.output.contains("warning: everybody on this machine can read \(open)"))
                #expect(end.output.contains("trilateral thing onboard: the password is wrong"))
                #expect(!end.output.contains("s3cret"))
            }
        }
    }

    @Test func `a person at a terminal learns what to do with the token`() async throws {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret", to: "password")
            let answer: JSONValue = ["thingID": .string(Self.id), "accessToken": "tlt_abc"]
            try await desk.withDaemon(["POST bindings/onboard": .init(200, answer)]) {
                let terminal = try PseudoTerminal()
                let child = try desk.start(
                    ["thing", "onboard", "--vendor-thing-id", "v-1", "--password-file", password],
                    terminal: terminal
                )
                #expect(await terminal.shows("Onboarded v-1 (thingID \(Self.id)). Give the token"))
                #expect(await child.end() == 0)
                await child.destroy()
            }
        }
    }

    // MARK: Requests and what is printed

    @Test(arguments: [
        ("thing expect v-1 --type meter", "POST bindings/expect", "secret\n"),
        ("thing owner add v-1 bob", "POST bindings/v-1/owners", ""),
        ("thing owner rm v-1 group:staff", "DELETE bindings/v-1/owners/group:staff", ""),
        ("thing owner rm v-1 bob", "DELETE bindings/v-1/owners/user:bob", ""),
        ("thing token v-1 --rotate", "POST bindings/v-1/token", "tlt_new\n"),
        ("thing forget \(id)", "DELETE bindings/\(id)", ""),
        ("installation add --token push", "POST installations", "i-1\n"),
        ("installation rm i-1", "DELETE installations/i-1", ""),
        ("installation rm", "DELETE installations/-", ""),
        ("installation rm --tag app", "DELETE installations/-?tag=app", ""),
        ("instance copy app --thing v-2 --to other", "POST instances/app/copy", ""),
        ("instance copy - --thing v-2 --to other", "POST instances/-/copy", ""),
        ("instance rm app", "DELETE instances/app", ""),
        ("instance rm -", "DELETE instances/-", ""),
        ("instance rm ''", "DELETE instances/-", ""),
        ("instance rm --all", "DELETE instances", ""),
    ])
    func `a verb sends one request, and prints what names the result and nothing else`(
        verb: String,
        line: String,
        output: String
    ) async throws {
        try await withVerbDesk { desk in
            let answer: JSONValue = [
                "thingPassword": "secret", "accessToken": "tlt_new", "installationID": "i-1",
            ]
            try await desk.withDaemon([line: .init(200, answer)]) {
                let end = try await desk.run(Self.words(verb, password: ""))
                #expect(end.status == 0, "\(end.output)")
                #expect(end.output == output)
            }
            #expect(desk.sent.map(\.line) == [line])
        }
    }

    @Test(
        arguments: [
            ("thing expect v-1", "POST bindings/expect", ["vendorThingID": "v-1"]),
            (
                "installation add --token-file PASSWORD", "POST installations",
                ["installationRegistrationID": "s3cret", "deviceType": "MQTT", "development": false]
            ),
            ("thing owner add v-1 bob", "POST bindings/v-1/owners", ["owner": "user:bob"]),
            (
                "installation add --token push --owner bob --device-type IOS --development --tag app",
                "POST installations",
                [
                    "installationRegistrationID": "push", "deviceType": "IOS", "development": true,
                    "owner": "user:bob", "tag": "app",
                ]
            ),
            (
                "instance copy app --thing v-2 --to -", "POST instances/app/copy", ["thing": "v-2", "to": ""]
            ),
        ] as [(String, String, JSONValue)]
    )
    func `a verb sends what was given`(verb: String, line: String, body: JSONValue) async throws {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret", to: "password")
            try await desk.withDaemon([line: .init(204)]) {
                _ = try await desk.run(Self.words(verb, password: password))
            }
            #expect(desk.sent == [.init(line, body)])
        }
    }

    // MARK: Ends

    @Test(arguments: [
        (400, "invalid_value", 65), (401, "unauthenticated", 77), (403, "not_allowed", 1),
        (404, "unknown_thing", 66), (409, "not_onboarded", 1), (409, "already_onboarded", 1),
        (409, "invalid_value", 65), (409, "stale_target", 65), (413, "too_large", 65),
        (429, "rate_limited", 75),
        (500, "internal", 74), (502, "server_rejected", 69), (503, "server_unreachable", 69),
        (503, "busy", 75), (504, "timeout", 69),
    ])
    func `a refusal ends the verb with its sentence and a code`(
        status: Int,
        code: String,
        exit: Int
    ) async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET instances/app": .refused(status, code, "It was refused.")]) {
                let end = try await desk.run(["instance", "show", "app"])
                #expect(end.status.map(Int.init) == exit)
                #expect(end.output == "trilateral instance show: It was refused.\n")
            }
        }
    }

    @Test(arguments: [
        "thing expect v-1", "thing onboard --vendor-thing-id v-1 --password-file PASSWORD", "thing list",
        "thing show v-1", "thing owner add v-1 bob", "thing owner rm v-1 bob", "thing token v-1 --rotate",
        "thing forget v-1", "installation add --token push", "installation list", "installation rm i-1",
        "instance list", "instance show", "instance copy - --thing v-1 --to app", "instance rm --all",
    ])
    func `the verbs need a daemon, and make no folder without one`(verb: String) async throws {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret", to: "password")
            let end = try await desk.run(Self.words(verb, password: password))
            #expect(end.status == 69)
            #expect(end.output.contains("no daemon runs with the state folder"), "\(end.output)")
            #expect(!FileManager.default.fileExists(atPath: desk.state))
        }
    }

    private static let onboard = "thing onboard --password-file PASSWORD"

    @Test(arguments: [
        ("\(onboard)", 64, "--vendor-thing-id or --thing-id"),
        ("\(onboard) --vendor-thing-id v-1 --thing-id \(id)", 64, "--vendor-thing-id or --thing-id"),
        ("thing onboard --vendor-thing-id v-1", 64, "--password-file"),
        ("thing onboard --vendor-thing-id v-1 --password-file /nowhere/at/all", 66, "/nowhere/at/all"),
        ("\(onboard) --vendor-thing-id a/b", 65, "--vendor-thing-id must be 1 to 200"),
        ("\(onboard) --thing-id th.1", 65, "--thing-id must be th. and 32 hexadecimal digits"),
        ("\(onboard) --vendor-thing-id v-1 --owner Bob!", 65, "an owner is a user such as bob"),
        ("\(onboard) --vendor-thing-id v-1 --owner thing:x", 65, "an owner is a user such as bob"),
        ("\(onboard) --vendor-thing-id v-1 --type a/b", 65, "--type must be 1 to 100"),
        ("\(onboard) --vendor-thing-id v-1 --properties {", 65, "--properties is not JSON"),
        ("\(onboard) --vendor-thing-id v-1 --properties []", 65, "--properties must be an object"),
        ("\(onboard) --vendor-thing-id v-1 --interval 2_HOURS", 64, "15_MINUTES"),
        ("\(onboard) --vendor-thing-id v-1 --tag a/b", 65, "tag must have at most 64"),
        ("thing expect a/b", 65, "a vendorThingID must be 1 to 200"),
        ("thing expect v-1 --type a/b", 65, "--type must be 1 to 100"),
        ("thing list --pending --onboarded", 64, "exclude each other"),
        ("thing show a/b", 66, "there is no thing \"a/b\": `trilateral thing list` shows"),
        ("thing forget ''", 66, "there is no thing \"\""),
        ("thing token v-1", 64, "--rotate makes another one"),
        ("thing owner add v-1 Bob!", 65, "an owner is a user such as bob"),
        ("thing own v-1", 64, "there is no verb \"own\""),
        ("installation add", 64, "give --token or --token-file"),
        ("installation add --token x --token-file PASSWORD", 64, "give --token or --token-file"),
        ("installation add --token ''", 65, "--token must be a text"),
        ("installation add --token x --device-type FAX", 64, "ANDROID"),
        ("installation rm ''", 66, "`trilateral installation list` shows them"),
        ("installation rm i-1 --tag app", 64, "exclude each other"),
        ("instance show a/b", 65, "tag must have at most 64"), ("instance rm", 64, "--all"),
        ("instance rm app --all", 64, "--all"),
        ("instance copy app --thing v-1 --to a/b", 65, "tag must have at most 64"),
    ])
    func `mistakes are found before a daemon is asked`(
        verb: String,
        status: Int,
        sentence: String
    ) async throws {
        try await withVerbDesk { desk in
            let password = try desk.write("s3cret", to: "password")
            let end = try await desk.run(Self.words(verb, password: password))
            #expect(end.status.map(Int.init) == status, "\(end.output)")
            #expect(end.output.contains(sentence), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("one\ntwo\n", "in one line"),
        (String(repeating: "x", count: 201), "must be a text of 1 to 200 bytes"),
    ])
    func `a file without a legal password is refused, and its text is not repeated`(
        text: String,
        sentence: String
    ) async throws {
        try await withVerbDesk { desk in
            let file = try desk.write(text, to: "password")
            let end = try await desk.run(
                ["thing", "onboard", "--vendor-thing-id", "v-1", "--password-file", file]
            )
            #expect(end.status == 65)
            #expect(end.output.contains(file) && end.output.contains(sentence), "\(end.output)")
            #expect(!end.output.contains("two") && !end.output.contains("xxx"), "\(end.output)")
        }
    }
}
