import Controller
import Daemon
import Flare
import Foundation
import GRDB
import JSON
import MQTT
import Messages
import TestSupport
import Testing
import Text

/// Tokens, sessions and passwords in the wrong places, and what leaves the daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct SecretTests {
    private static let session = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"
    private static let token = "tlu_" + session
    private static let link = "tll_" + session
    private static let password = "c0rrect-horse-battery"

    /// `T` is the secret.
    private static let payloads = [
        "T", #""T""#, #"["T"]"#, #"{"T":1}"#, #"{"state":"T"}"#, #"{"color":"T","tx":"T"}"#,
        #"{"state":"ON","tx":"T"}"#, #"{"state":"ON","a":{"b":["xT"]}}"#, #"{"action":"T"}"#,
        #"{"as":"T","state":"ON"}"#, #"{"name":"T"}"#, #"{"environment":"T"}"#, #"{"token":["T"]}"#,
        #"{"token":"T","as":"T","state":"ON"}"#, #"{"state":"ON","T"#,
    ]

    private static let paths = [
        "/api/things/T", "/api/things/T/actions", "/api/log?user=T", "/T", "/kiosk/T", "/kiosk/modules/T",
        "/api/T", "/api/users/T", "/api/state?access_token=T", "/sign-in?link=T", "/api/map?style=T",
        "/api/events?display=T", "/healthz?T",
    ]

    private static let bodies = [
        "/api/session": #"{"name":"T","password":"T"}"#, "/api/session?x=T": #"{"link":"T"}"#,
        "/api/sign-in": #"{"password":"T"}"#, "/api/users": #"{"name":"bob","display_name":"T"}"#,
        "/api/groups": #"{"name":"T"}"#, "/api/tokens": #"{"user":"T","name":"T"}"#,
        "/api/display/T/presence": #"{"presence":"visible"}"#,
        "/api/display/T/screen": #"{"screen":"T"}"#,
    ]

    private func webPort(_ home: Home) async throws -> Int {
        try #require(await home.logs("web: http://127.0.0.1:"))
        let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
        return try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    /// Whether something has the random part of the secrets.
    private func isLeak(_ text: String) -> Bool { text.contains(Self.session) }

    private func publish(_ secret: String, _ visitor: Visitor) async {
        for filter in CommandTable.program.filters {
            for name in [secret, "table-lamp"] {
                for payload in Self.payloads {
                    let tail = filter.replacing("+", with: name)
                    visitor.say(tail, payload.replacing("T", with: secret))
                    visitor.say("users/bob/\(tail)", payload.replacing("T", with: secret))
                }
                var message = MQTTMessage(
                    topic: "\(visitor.root)/\(filter.replacing("+", with: name))",
                    payload: Array(#"{"state":"ON"}"#.utf8)
                )
                message.properties.responseTopic = "replies/\(secret)"
                message.properties.correlationData = Array(secret.utf8)
                visitor.client.publish(message)
            }
        }
        visitor.say("display/\(secret)/presence", "visible")
        visitor.say("sensors/compass/raw", secret)
    }

    /// Sends the secret in every place of HTTP; the bodies of the answers must not have it.
    private func request(_ secret: String, _ home: Home) async throws {
        let port = try await webPort(home)
        func send(_ method: String, _ path: String, _ headers: [String], _ body: String = "") async throws {
            let path = path.replacing("T", with: secret)
            let reply = try await TestSupport.request(
                method,
                path,
                port: port,
                headers: headers,
                body: body.replacing("T", with: secret)
            )
            #expect(!isLeak(reply.body), "\(method) \(path): \(reply.status) \(reply.body.prefix(300))")
        }
        for path in Self.paths { try await send("GET", path, []) }
        for name in ["Authorization: Bearer", "Cookie: trilateral=", "User-Agent:", "X-Forwarded-For:", "T:"]
        {
            try await send("GET", "/api/state", ["\(name.replacing("T", with: secret)) \(secret)"])
        }
        let type = ["Content-Type: application/json"]
        for (path, body) in Self.bodies { try await send("POST", path, type, body) }
        for filter in CommandTable.program.filters {
            for name in ["T", "table-lamp"] {
                for payload in Self.payloads {
                    try await send("POST", "/api/\(filter.replacing("+", with: name))", type, payload)
                }
            }
        }
        let lamp = Place.path(ofThing: Place.tableLamp, in: Place.living)
        let sent = [
            ("GET", "/T", ""), ("GET", "\(lamp)/T", ""), ("PUT", lamp, #"{"data":{"T":1}}"#),
            ("PUT", lamp, #"{"name":"T","actions":["T"]}"#), ("POST", "/environments", #"{"name":"T"}"#),
            ("PUT", "/environments/T", #"{"name":"a"}"#), ("POST", "/environments", #"{"T"#),
        ]
        for (method, path, body) in sent {
            let answer = try await home.rest(
                method,
                path.replacing("T", with: secret),
                body.replacing("T", with: secret)
            )
            #expect(!isLeak(answer.body), "\(method) \(path): \(answer.status) \(answer.body.prefix(300))")
        }
    }

    @Test(arguments: [token, link])
    func `a token in any place of a command or request leaves in no answer, topic, log line or file`(
        secret: String
    ) async throws {
        try await withMosquitto { broker in
            let keys = [
                "log.level": "trace", "web.listen": "127.0.0.1:0", "people.user_topics": "true",
                "flare.server.access": "open", "mqtt.username": "daemon", "mqtt.password": "daemon",
            ]
            try await withHome(keys, port: broker.port) { home, visitor in
                await publish(secret, visitor)
                try await request(secret, home)
                let answer = try await visitor.ask("request/ping", #"{"tx":"last"}"#)
                #expect(answer["tx"] == "last")
                #expect(await visitor.told.count > 300)
                for message in await visitor.told where !message.topic.contains(secret) {
                    #expect(!isLeak(message.text), "\(message.topic) \(message.text.prefix(400))")
                }
                // A topic with it is only what was published above.
                let topics = await visitor.told.map(\.topic).filter { isLeak($0) }
                #expect(Set(topics) == ["\(visitor.root)/display/\(secret)/presence"])
                #expect(await home.logs("command refused"))
                await home.stop()
                let lines = await home.log.split(separator: "\n").filter { isLeak(String($0)) }
                #expect(lines.isEmpty, "\(lines.prefix(5))")
                let files =
                    FileManager.default.enumerator(atPath: home.state)?.compactMap { $0 as? String } ?? []
                #expect(files.contains { $0.hasSuffix(".db") }, "\(files)")
                for file in files {
                    let contents = FileManager.default.contents(atPath: "\(home.state)/\(file)") ?? Data()
                    #expect(contents.range(of: Data(Self.session.utf8)) == nil, "\(file)")
                }
            }
        }
    }

    @Test func `the listener's and the stations' passwords are masked in the log, also new ones`()
        async throws
    {
        let (web, station) = ("l1stener-horse-battery", "st4tion-horse-battery")
        try await withMosquitto { broker in
            try await withTemporaryFolder { folder in
                try folder.write(web + "\n", to: "web")
                #expect(chmod(folder.path("web"), 0o600) == 0)
                let home = Home(in: folder, port: broker.port)
                try await home.take()
                // What `station add` stores.
                let made = try await Program.run(["user", "add", "bob", "--state", home.state], in: folder)
                #expect(made.status == 0, "\(made.output)")
                let database = try DatabaseQueue(path: home.state + "/trilateral.db")
                try await database.write { database in
                    try database.execute(
                        sql: "INSERT INTO station VALUES ('shop-1', 'shop', '192.0.2.1', NULL, ?, '')",
                        arguments: [station]
                    )
                }
                try database.close()
                try await withVisitor(to: home.root, port: broker.port) { visitor in
                    try await visitor.whileStarting {
                        try await home.start(["web.password_file": folder.path("web"), "log.level": "trace"])
                    }
                    for secret in [web, station] { await publish(secret, visitor) }
                    _ = try await visitor.ask("request/ping")
                    let next = "an0ther-horse-battery"
                    try folder.write(next + "\n", to: "web")
                    await home.signal(SIGHUP)
                    #expect(await home.logs("configuration read again"))
                    await publish(next, visitor)
                    _ = try await visitor.ask("request/ping")
                    await home.stop()
                    let log = await home.log
                    for secret in [web, station, next] { #expect(!log.contains(secret), "\(secret)") }
                    #expect(log.contains("***"))
                }
                await home.kill()
                let rows = try await Program.run(
                    ["log", "--json", "--limit", "10000", "--state", home.state],
                    in: folder
                )
                #expect(rows.status == 0 && rows.output.contains("***"))
                #expect(!rows.output.contains("horse-battery"))
            }
        }
    }

    @Test func `the password of the broker and sessions are masked in the log, whatever they were sent as`()
        async throws
    {
        var options = MosquittoOptions()
        options.users = ["daemon": Self.password, "me": "me"]
        try await withMosquitto(options) { broker in
            try await withTemporaryFolder { folder in
                let home = Home(in: folder, port: broker.port)
                try await home.take()
                let change: @Sendable (inout MQTTConfiguration) -> Void = {
                    ($0.username, $0.password) = ("me", Secret("me"))
                }
                try await withVisitor(to: home.root, port: broker.port, change) { visitor in
                    try await visitor.whileStarting {
                        try await home.start([
                            "mqtt.username": "daemon", "mqtt.password": Self.password, "log.level": "trace",
                        ])
                    }
                    for secret in [Self.password, Self.session] { await publish(secret, visitor) }
                    let answer = try await visitor.ask("request/ping", #"{"tx":"\#(Self.password)"}"#)
                    // A mask here would tell whoever guesses that the guess is right.
                    #expect(answer["tx"]?.string == Self.password)
                    #expect(await home.logs("command refused"))
                }
                await home.stop()
                let lines = await home.log.split(separator: "\n").filter {
                    $0.contains(Self.password) || $0.contains(Self.session)
                }
                #expect(lines.isEmpty, "\(lines.prefix(5))")
                #expect(await home.log.contains("***"))
                await home.kill()
            }
        }
    }
}
